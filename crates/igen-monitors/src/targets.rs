//! The servers of this machine that a job loads.

use igen_job::Credentials;
use igen_kernel::listeners::is_local;
use igen_kernel::server::{Place, Server, Unknown};
use igen_net::{Address, Endpoint, Scheme};

/// Find the server of each target that is on this machine, in the order of the targets. `None` for a target that is
/// not a server.
#[must_use]
pub fn servers(targets: &[String]) -> Vec<Option<Result<Server, Unknown>>> {
    let find = |target: &String| Some(Server::find(&place(target)?));
    targets.iter().map(find).collect()
}

/// True if there are targets and all are servers of other machines.
#[must_use]
pub fn are_elsewhere(targets: &[String]) -> bool {
    let is_elsewhere = |target: &String| match place(target) {
        Some(Place::Tcp(addresses)) => {
            !addresses.is_empty() && !addresses.iter().any(|address| is_local(*address))
        }
        Some(Place::Unix(_)) | None => false,
    };
    !targets.is_empty() && targets.iter().all(is_elsewhere)
}

/// Return where the server of a target listens, its name looked up. `None` if the target is not a server, or if the
/// job's own check refuses it.
pub(crate) fn place(target: &str) -> Option<Place> {
    let families: [&[Scheme]; 3] = [
        &igen_http::TARGETS,
        &igen_ldap::TARGETS,
        &igen_sql::server::TARGETS,
    ];
    let scheme = families.iter().find_map(|each| Scheme::of(target, each))?;
    let address = Endpoint::of(target, "targets", scheme, Credentials::None)
        .ok()?
        .address;
    Some(match &address {
        Address::Tcp { .. } => Place::Tcp(address.look_up().unwrap_or_default()),
        Address::Unix(path) => Place::Unix(path.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_servers_of_other_machines_are_elsewhere() {
        for (targets, expected) in [
            (&["http://198.51.100.1"][..], true),
            (&["http://198.51.100.1", "mysql://a@203.0.113.1/shop"], true),
            (&["http://198.51.100.1", "http://127.0.0.1"], false),
            (&["mysql:///shop?socket=/run/m.sock"], false),
            (&["sqlite:///tmp/file.db"], false),
            (&[], false),
        ] {
            let targets: Vec<String> = targets.iter().map(|&target| target.to_owned()).collect();
            assert_eq!(are_elsewhere(&targets), expected, "{targets:?}");
        }
    }

    #[test]
    fn each_scheme_says_where_its_server_listens() {
        let tcp = |address: &str| {
            address
                .parse()
                .ok()
                .map(|address| Place::Tcp(vec![address]))
        };
        let unix = |path: &str| Some(Place::Unix(path.into()));
        for (target, expected) in [
            ("http://127.0.0.1/shop", tcp("127.0.0.1:80")),
            ("https://127.0.0.1", tcp("127.0.0.1:443")),
            ("http://[::1]:8080", tcp("[::1]:8080")),
            ("ldap://127.0.0.1/dc=example", tcp("127.0.0.1:389")),
            ("ldaps://127.0.0.1/dc=example", tcp("127.0.0.1:636")),
            ("postgresql://a@127.0.0.1/shop", tcp("127.0.0.1:5432")),
            ("mysql://a@127.0.0.1:3307/shop", tcp("127.0.0.1:3307")),
            (
                "postgresql:///shop?host=/run/postgresql",
                unix("/run/postgresql/.s.PGSQL.5432"),
            ),
            ("mysql:///shop?socket=/run/m.sock", unix("/run/m.sock")),
            ("sqlite:///tmp/file.db", None),
            ("file:///dev/sdb", None),
            ("host:", None),
            ("http://127.0.0.1:port", None),
        ] {
            assert_eq!(place(target), expected, "{target}");
        }
    }
}
