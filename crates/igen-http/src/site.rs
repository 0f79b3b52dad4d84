//! A web server as a target: where it is, and what all its users share.

use std::io;
use std::net::{IpAddr, SocketAddr};

use igen_job::{Credentials, JobError};
use igen_net::{Address, Endpoint, Scheme, TlsMode};

use crate::TARGETS;
use crate::error::Error;
use crate::protocol::Protocol;

/// A web server.
pub struct Site {
    pub(crate) endpoint: Endpoint,
    host: String,
    scheme: &'static str,
    default_port: u16,
    pub(crate) protocol: Protocol,
    /// Looked up once: a name server is no part of what is measured.
    addresses: io::Result<Vec<SocketAddr>>,
}

impl Site {
    /// The server that `target` names, its name looked up; an error is about the field `field` of the job. A
    /// name that is not known is an error of `addresses` only.
    pub fn of(
        target: &str,
        field: &str,
        protocol: Protocol,
        credentials: Credentials,
    ) -> Result<Self, JobError> {
        let scheme = Scheme::of(target, &TARGETS).ok_or_else(|| {
            JobError::at(field, format!("`{target}` is not a web server"))
                .hint("use a target such as http://127.0.0.1:8080")
        })?;
        let mut endpoint = Endpoint::of(target, field, scheme, credentials)?;
        endpoint.tls.protocols = protocol.offered();
        let host = match &endpoint.address {
            Address::Tcp { host, .. } => host.clone(),
            Address::Unix(path) => path.display().to_string(),
        };
        let addresses = endpoint.address.look_up();
        Ok(Self {
            endpoint,
            host,
            scheme: scheme.name,
            default_port: scheme.port,
            protocol,
            addresses,
        })
    }

    /// Returns its place for messages: `web.lab:8080/shop`.
    #[must_use]
    pub fn place(&self) -> String {
        self.endpoint.place()
    }

    /// Returns the common start of all paths; empty, or a slash and more.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.endpoint.path
    }

    /// Returns its name or address.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the value of the header `Host`, with the port unless it is the default.
    #[must_use]
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        if self.endpoint.port == self.default_port {
            host
        } else {
            format!("{host}:{}", self.endpoint.port)
        }
    }

    /// Returns the scheme: `http` or `https`.
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        self.scheme
    }

    /// Returns its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.endpoint.port
    }

    /// Returns true if its connections are encrypted.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        self.endpoint.tls.mode > TlsMode::Disable
    }

    /// Returns the addresses at which it listens; an error if its name is unknown.
    pub fn addresses(&self) -> Result<&[SocketAddr], Error> {
        self.addresses.as_deref().map_err(|_| Error::UnknownHost)
    }

    /// Returns true if anybody may own it: one of its addresses is neither loopback nor of a private network.
    #[must_use]
    pub fn is_public(&self) -> bool {
        let addresses = self.addresses.as_deref().unwrap_or_default();
        addresses.iter().any(|address| !is_private(address.ip()))
    }
}

/// Loopback, link-local, or of a private network (RFC 1918, RFC 4193). A connection to the address of no host
/// leads to this one.
fn is_private(address: IpAddr) -> bool {
    address.is_unspecified()
        || match address.to_canonical() {
            IpAddr::V4(address) => {
                address.is_loopback() || address.is_private() || address.is_link_local()
            }
            IpAddr::V6(address) => {
                address.is_loopback()
                    || address.is_unique_local()
                    || address.is_unicast_link_local()
            }
        }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn site(target: &str) -> Site {
        Site::of(
            target,
            "targets[0]",
            Protocol::Http1,
            igen_job::Credentials::Own,
        )
        .unwrap()
    }

    #[test]
    fn a_target_is_a_host_a_port_and_a_base() {
        for (target, authority, base, is_tls) in [
            ("http://127.0.0.1", "127.0.0.1", "", false),
            (
                "http://127.0.0.1:8080/shop/",
                "127.0.0.1:8080",
                "/shop",
                false,
            ),
            ("https://127.0.0.1:443", "127.0.0.1", "", true),
            ("https://[::1]:8443/a/b", "[::1]:8443", "/a/b", true),
        ] {
            let site = site(target);
            assert_eq!(
                (site.authority().as_str(), site.base(), site.is_tls()),
                (authority, base, is_tls)
            );
            assert_eq!(site.addresses().unwrap().len(), 1);
        }
        let error = Site::of(
            "ldap://127.0.0.1/dc=lab",
            "targets[0]",
            Protocol::Http1,
            igen_job::Credentials::Own,
        )
        .err()
        .expect("no server");
        assert!(!error.hint.is_empty());
    }

    #[test]
    fn whose_a_server_is_follows_from_its_address() {
        for (host, is_public) in [
            ("127.0.0.1", false),
            ("0.0.0.0", false),
            ("[::]", false),
            ("10.1.2.3", false),
            ("172.31.0.1", false),
            ("192.168.0.1", false),
            ("169.254.0.1", false),
            ("[::1]", false),
            ("[fd00::1]", false),
            ("[fe80::1]", false),
            ("[::ffff:10.0.0.1]", false),
            ("172.32.0.1", true),
            ("192.0.2.1", true),
            ("[2001:db8::1]", true),
            ("[::ffff:192.0.2.1]", true),
        ] {
            assert_eq!(
                site(&format!("http://{host}")).is_public(),
                is_public,
                "{host}"
            );
        }
    }
}
