//! What can be checked.

/// What a check is about: a part of the machine, or a kind of server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Area {
    Host,
    Network,
    Storage,
    HttpClient,
    Postgresql,
    Mariadb,
    Openldap,
    Nginx,
}

impl Area {
    /// Returns true if it is a kind of server.
    pub(super) fn is_server(self) -> bool {
        matches!(
            self,
            Self::Postgresql | Self::Mariadb | Self::Openldap | Self::Nginx
        )
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Network => "network",
            Self::Storage => "storage",
            Self::HttpClient => "http-client",
            Self::Postgresql => "postgresql",
            Self::Mariadb => "mariadb",
            Self::Openldap => "openldap",
            Self::Nginx => "nginx",
        }
    }
}
