//! `ldap-search` (iGenLDAPs v1): one equality search below `ou=People`, which must find one entry.

use igen_engine::{Failure, Recorder, User};
use igen_ldap::{Connection, Entry, Filter, Scope, SearchRequest, SearchResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::identity::is_same;
use super::keys::{Chooser, Key};
use super::params::TreeParams;
use super::shard::Shard;
use super::step::{at, one, right};
use super::{LdapWorkload, Needs};
use crate::names::{Names, names};

const SEARCH: usize = 0;
const ENTRIES: usize = 0;
const BYTES: usize = 1;
const REFERRALS: usize = 2;

/// The workload.
pub struct Search;

/// Parameters of `ldap-search`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// Attributes to return: a list, or text with commas.
    #[serde(deserialize_with = "names")]
    #[schemars(with = "Names")]
    #[schemars(extend("x-default" = "all"))]
    pub attributes: Vec<String>,
    /// The tree and who is chosen from it.
    #[serde(flatten)]
    pub tree: TreeParams,
}

impl super::Params for Params {
    fn tree(&self) -> &TreeParams {
        &self.tree
    }

    fn attributes(&self) -> Option<&[String]> {
        Some(&self.attributes)
    }
}

/// Searches for persons over one connection; of `ldap-mixed`, too.
pub(super) struct Searching {
    base: String,
    login_attribute: String,
    attributes: Vec<String>,
}

/// A user of `ldap-search`.
pub struct SearchUser {
    connection: Connection,
    chooser: Chooser,
    searching: Searching,
}

impl LdapWorkload for Search {
    const NAME: &'static str = "ldap-search";
    const SUMMARY: &'static str = "directory: one equality search for one entry";
    const TRANSACTIONS: &'static str = "searches";
    const OPERATIONS: &'static [&'static str] = &["search"];
    const COUNTERS: &'static [&'static str] = &["entries", "bytes", "referrals"];
    type Params = Params;
    type User = SearchUser;

    fn needs(_: &Params) -> Needs {
        Needs {
            writes: false,
            passwords: false,
        }
    }

    fn boundaries(params: &Params) -> String {
        format!(
            "one search: subtree, ({}=<login>), {} returned; any other number of entries than one is a \
             failure, and so is another entry",
            params.tree.login_attribute,
            attributes_text(&params.attributes)
        )
    }

    async fn user(
        params: &Params,
        shard: &Shard,
        _target: usize,
        chooser: Chooser,
    ) -> Result<SearchUser, Failure> {
        let mut connection = shard.directory.bound().await?;
        connection.join_ring()?;
        Ok(SearchUser {
            connection,
            chooser,
            searching: Searching::new(shard, &params.attributes),
        })
    }
}

impl User for SearchUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let key = self.chooser.next();
        let search = self.searching.search(&mut self.connection, key);
        let found = recorder.time(SEARCH, search).await?;
        recorder.count(ENTRIES, found.entries);
        recorder.count(BYTES, found.bytes);
        recorder.count(REFERRALS, found.referrals);
        Ok(())
    }
}

impl Searching {
    pub(super) fn new(shard: &Shard, attributes: &[String]) -> Self {
        Self {
            base: shard.base.clone(),
            login_attribute: shard.login_attribute.clone(),
            attributes: attributes.to_vec(),
        }
    }

    /// Finds one person.
    #[inline]
    pub(super) async fn search(
        &self,
        connection: &mut Connection,
        key: &Key,
    ) -> Result<SearchResult, Failure> {
        let request = SearchRequest {
            base: self.base.as_bytes(),
            scope: Scope::Subtree,
            filter: Filter::Equality(&self.login_attribute, &key.login),
            attributes: &self.attributes,
            size_limit: 0,
        };
        let mut is_right = false;
        let look = |entry: Entry<'_>| is_right = is_same(entry.dn, &key.dn);
        let found = connection.search(&request, look).await;
        let found = found.and_then(one);
        found
            .and_then(|found| right(found, is_right))
            .map_err(at("search"))
    }
}

pub(super) fn attributes_text(attributes: &[String]) -> String {
    match attributes {
        [] => "all attributes".to_owned(),
        some => some.join(", "),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn attributes_are_a_list_or_text() {
        let attributes = |json: &str| {
            let params: Result<Params, _> = serde_json::from_str(json);
            params.map(|params| params.attributes.join(" "))
        };
        for (json, expected) in [
            ("{}", ""),
            (r#"{"attributes": ["cn", "mail"], "entries": 5}"#, "cn mail"),
            (r#"{"attributes": "cn, mail"}"#, "cn mail"),
            (r#"{"attributes": ""}"#, ""),
        ] {
            assert_eq!(attributes(json).unwrap(), expected, "{json}");
        }
        assert!(attributes(r#"{"attributes": 5}"#).is_err());
    }
}
