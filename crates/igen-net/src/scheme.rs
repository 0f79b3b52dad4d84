//! Schemes of targets, and what each means by the parts of a target.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;

use crate::surroundings::Surroundings;

/// Meaning of the targets of a scheme.
pub struct Scheme {
    /// Name before `://`.
    pub name: &'static str,
    /// The port of a target that does not name one.
    pub port: u16,
    /// The option that names a Unix socket, if there is one.
    pub socket: Option<SocketOption>,
    /// Meaning of the path of a target.
    pub path: PathKind,
    /// True if a target may name a file with the password.
    pub password_file: bool,
    /// True if a target may name the application that connects.
    pub application: bool,
    /// Encryption of its connections.
    pub encryption: Encryption,
    /// Reads the settings that the servers' own clients take from environment and files; an error says which
    /// setting is not supported.
    pub surroundings: fn() -> Result<Surroundings, String>,
}

/// An option that names a Unix socket. A host that begins with a slash, percent-encoded, names one too.
pub struct SocketOption {
    /// Its name.
    pub name: &'static str,
    /// Returns the socket that its value and a port mean.
    pub path: fn(&str, u16) -> PathBuf,
}

/// Meaning of the path of a target.
pub enum PathKind {
    /// The name of something on the server, which every target has.
    Name {
        /// Kind of the thing: `database`.
        what: &'static str,
        /// An example, and whoever may look into it, as in `user@host/database`.
        example: (&'static str, &'static str),
    },
    /// Start of the path of each request, as it is sent; a target need not have it, and does not name a
    /// user.
    Base,
}

/// Encryption of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// Never: the scheme of this name is for TLS.
    Never(&'static str),
    /// Never: its connections do not leave the machine.
    Local,
    /// Encrypted if the target requests it, after an agreement of client and server.
    Agreed,
    /// Encrypted from the first byte on.
    Always,
}

impl Scheme {
    /// Returns the one of `schemes` with which `target` begins.
    #[must_use]
    pub fn of<'a>(target: &str, schemes: &'a [Self]) -> Option<&'a Self> {
        let (name, _) = target.split_once(':')?;
        schemes.iter().find(|scheme| scheme.name == name)
    }

    /// Returns an example of a target, for hints.
    pub(crate) fn usual_target(&self) -> String {
        let (name, port) = (self.name, self.port);
        match (&self.path, &self.socket) {
            (PathKind::Base, _) => {
                format!("{name}://host:{port}/ followed by the common start of all paths")
            }
            (PathKind::Name { example, .. }, _) if self.encryption == Encryption::Local => {
                format!("{name}://{}@%2Fpath%2Fof%2Fsocket/{}", example.0, example.1)
            }
            (PathKind::Name { example, .. }, socket) => {
                let (user, path) = example;
                let usual = format!("{name}://{user}@host:{port}/{path}");
                let Some(SocketOption { name: option, .. }) = socket else {
                    return usual;
                };
                format!("{usual}, or {name}://{user}@localhost/{path}?{option}=… for a Unix socket")
            }
        }
    }

    /// Returns the options of a target, for hints.
    pub(crate) fn options(&self) -> String {
        let mut options = Vec::new();
        if matches!(self.encryption, Encryption::Agreed | Encryption::Always) {
            options.extend(["sslmode", "sslrootcert", "sslcert", "sslkey"]);
        }
        options.extend(self.socket.as_ref().map(|socket| socket.name));
        options.extend(self.password_file.then_some("password_file"));
        options.extend(self.application.then_some("application_name"));
        match options.as_slice() {
            [] => format!("not available for {}", self.name),
            some => some.join(", "),
        }
    }
}

impl PathKind {
    /// Returns the meaning of the text after the slash; an error describes the fault of the target.
    pub(crate) fn of(&self, text: &str) -> Result<String, String> {
        match self {
            Self::Name { what, .. } => Some(text)
                .filter(|name| !name.contains('/'))
                .and_then(decoded)
                .filter(|name| !name.is_empty())
                .ok_or_else(|| format!("has no {what}")),
            Self::Base
                if !text
                    .bytes()
                    .all(|byte| byte.is_ascii_graphic() && byte != b'#') =>
            {
                Err("has a path with characters that must be percent-encoded".to_owned())
            }
            Self::Base => Ok(match text.trim_end_matches('/') {
                "" => String::new(),
                base => format!("/{base}"),
            }),
        }
    }
}

/// Returns text without percent-encoding; `None` if that is not UTF-8, or has a zero byte.
pub(crate) fn decoded(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8().ok()?;
    Some(text.into_owned()).filter(|text| !text.contains('\0'))
}
