//! The server's own count of operations, held against what was sent.

use std::collections::BTreeMap;

use crate::connection::Connection;
use crate::directory::Directory;
use crate::error::Error;
use crate::request::{Filter, Scope, SearchRequest};
use crate::sent::RequestKind;

/// Kinds that are compared: a server counts the end of a connection when it likes.
const COMPARED: [RequestKind; 6] = [
    RequestKind::Bind,
    RequestKind::Search,
    RequestKind::Modify,
    RequestKind::Add,
    RequestKind::Delete,
    RequestKind::Extended,
];

/// Operations on a directory since its server started, by kind, at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operations {
    /// Operations that this process sent.
    pub sent: BTreeMap<&'static str, u64>,
    /// Those that the server began, whoever asked; or why it does not tell. An operation is among them as soon as
    /// it is answered; among those that a server has completed it is only a little later.
    pub counted: Result<BTreeMap<&'static str, u64>, String>,
}

impl Operations {
    /// Returns the operations that were sent and counted since `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let counted = match (&self.counted, &before.counted) {
            (Ok(now), Ok(before)) => Ok(difference(now, before)),
            (Err(why), _) | (_, Err(why)) => Err(why.clone()),
        };
        Self {
            sent: difference(&self.sent, &before.sent),
            counted,
        }
    }
}

fn difference(
    now: &BTreeMap<&'static str, u64>,
    before: &BTreeMap<&'static str, u64>,
) -> BTreeMap<&'static str, u64> {
    let since = |(name, now): (&&'static str, &u64)| {
        let before = before.get(name).copied().unwrap_or_default();
        // A server that was started anew counts from 0.
        (*name, now.saturating_sub(before))
    };
    now.iter().map(since).collect()
}

impl Directory {
    /// Operations up to now, the look itself among them, on both sides.
    pub async fn operations(&self) -> Operations {
        let mut connection = match self.try_bound().await {
            Ok(connection) => connection,
            Err(error) => {
                return Operations {
                    sent: BTreeMap::new(),
                    counted: Err(error.failure().reason.to_string()),
                };
            }
        };
        let counted = initiated(&mut connection).await;
        let sent = connection.sent();
        Operations {
            sent: COMPARED
                .into_iter()
                .map(|kind| (kind.name(), sent[kind as usize]))
                .collect(),
            counted: counted
                .map_err(|error| format!("cn=Monitor cannot be read: {}", error.failure().reason)),
        }
    }
}

/// `monitorOpInitiated` of each kind (`OpenLDAP`'s back-monitor).
async fn initiated(connection: &mut Connection) -> Result<BTreeMap<&'static str, u64>, Error> {
    let mut counted = BTreeMap::new();
    let search = SearchRequest {
        base: b"cn=Operations,cn=Monitor",
        scope: Scope::Subtree,
        filter: Filter::Present("monitorOpInitiated"),
        attributes: &["cn", "monitorOpInitiated"],
        size_limit: 100,
    };
    connection
        .try_search(&search, |entry| {
            let name = entry.texts("cn").concat().to_lowercase();
            let number = entry.texts("monitorOpInitiated").concat().parse().ok();
            let kind = COMPARED.into_iter().find(|kind| kind.name() == name);
            if let (Some(kind), Some(number)) = (kind, number) {
                counted.insert(kind.name(), number);
            }
        })
        .await?;
    if counted.len() == COMPARED.len() {
        Ok(counted)
    } else {
        Err(Error::Refused {
            text: "the server is not OpenLDAP, or this user may not read it".to_owned(),
            hint: "",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(sent: u64, counted: Option<u64>) -> Operations {
        Operations {
            sent: [("search", sent)].into(),
            counted: counted
                .map(|counted| [("search", counted)].into())
                .ok_or_else(|| "secret".to_owned()),
        }
    }

    #[test]
    fn only_what_happened_between_two_looks_is_compared() {
        assert_eq!(at(12, Some(112)).since(&at(2, Some(102))), at(10, Some(10)));
        // Started anew in between.
        assert_eq!(at(12, Some(5)).since(&at(2, Some(102))), at(10, Some(0)));
        assert_eq!(at(12, None).since(&at(2, Some(1))), at(10, None));
    }
}
