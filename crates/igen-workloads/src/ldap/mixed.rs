//! `ldap-mixed`: searches, binds and modifies in given proportions, one of them a transaction.

use igen_engine::{Failure, Recorder, User};
use igen_job::JobError;
use igen_ldap::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keys::Chooser;
use super::modify::describe;
use super::params::TreeParams;
use super::search::{Searching, attributes_text};
use super::shard::Shard;
use super::step::at;
use super::{LdapWorkload, Needs};
use crate::names::{Names, names};

const SEARCH: usize = 0;
const BIND: usize = 1;
const MODIFY: usize = 2;
const ENTRIES: usize = 0;
const BYTES: usize = 1;
const REFERRALS: usize = 2;
/// The most that all weights come to together.
const MOST_WEIGHT: u32 = 1_000_000;

/// The workload.
pub struct Mixed;

/// Parameters of `ldap-mixed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// Weight of searches; 0: no searches.
    pub search_weight: u32,
    /// Weight of binds, which use a separate connection; 0: no binds.
    pub bind_weight: u32,
    /// Weight of modifies; 0: no modifies.
    pub modify_weight: u32,
    /// Attributes that searches return: a list, or text with commas.
    #[serde(deserialize_with = "names")]
    #[schemars(with = "Names")]
    #[schemars(extend("x-default" = "all"))]
    pub attributes: Vec<String>,
    /// The tree and who is chosen from it.
    #[serde(flatten)]
    pub tree: TreeParams,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            search_weight: 80,
            bind_weight: 15,
            modify_weight: 5,
            attributes: Vec::new(),
            tree: TreeParams::default(),
        }
    }
}

impl Params {
    fn weight(&self) -> u32 {
        self.search_weight
            .saturating_add(self.bind_weight)
            .saturating_add(self.modify_weight)
    }
}

impl super::Params for Params {
    fn tree(&self) -> &TreeParams {
        &self.tree
    }

    fn attributes(&self) -> Option<&[String]> {
        Some(&self.attributes)
    }
}

/// A user of `ldap-mixed`.
pub struct MixedUser {
    /// As the user of the target.
    connection: Connection,
    /// As whoever was bound last.
    persons: Connection,
    chooser: Chooser,
    searching: Searching,
    /// Draws below this are searches, below the next one binds, up to the last one modifies.
    bounds: [u64; 3],
}

impl LdapWorkload for Mixed {
    const NAME: &'static str = "ldap-mixed";
    const SUMMARY: &'static str = "directory: searches, binds and modifies by weight";
    const TRANSACTIONS: &'static str = "operations";
    const OPERATIONS: &'static [&'static str] = &["search", "bind", "modify"];
    const COUNTERS: &'static [&'static str] = &["entries", "bytes", "referrals"];
    type Params = Params;
    type User = MixedUser;

    fn check(params: &Params) -> Result<(), JobError> {
        if (1..=MOST_WEIGHT).contains(&params.weight()) {
            return Ok(());
        }
        Err(
            JobError::at("params.search_weight", "the weights are out of range")
                .hint(format!("use a sum of 1 to {MOST_WEIGHT}")),
        )
    }

    fn needs(params: &Params) -> Needs {
        Needs {
            writes: params.modify_weight > 0,
            passwords: params.bind_weight > 0,
        }
    }

    fn boundaries(params: &Params) -> String {
        let percent = |weight: u32| 100.0 * f64::from(weight) / f64::from(params.weight());
        format!(
            "one operation: {:.1} % searches ({} returned), {:.1} % simple binds on a second \
             connection, {:.1} % modifies",
            percent(params.search_weight),
            attributes_text(&params.attributes),
            percent(params.bind_weight),
            percent(params.modify_weight)
        )
    }

    async fn user(
        params: &Params,
        shard: &Shard,
        _target: usize,
        chooser: Chooser,
    ) -> Result<MixedUser, Failure> {
        let mut connection = shard.directory.bound().await?;
        connection.join_ring()?;
        let mut persons = shard.directory.connect().await?;
        persons.join_ring()?;
        let searches = u64::from(params.search_weight);
        let binds = searches + u64::from(params.bind_weight);
        Ok(MixedUser {
            connection,
            persons,
            chooser,
            searching: Searching::new(shard, &params.attributes),
            bounds: [searches, binds, u64::from(params.weight())],
        })
    }
}

impl User for MixedUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let [searches, binds, all] = self.bounds;
        let drawn = self.chooser.below(all);
        let key = self.chooser.next();
        let bytes = if drawn < searches {
            let search = self.searching.search(&mut self.connection, key);
            let found = recorder.time(SEARCH, search).await?;
            recorder.count(ENTRIES, found.entries);
            recorder.count(REFERRALS, found.referrals);
            found.bytes
        } else if drawn < binds {
            let bind = self.persons.bind(&key.dn, &key.password);
            recorder.time(BIND, bind).await.map_err(at("bind"))?
        } else {
            let modify = describe(&mut self.connection, &mut self.chooser);
            recorder.time(MODIFY, modify).await?
        };
        recorder.count(BYTES, bytes);
        Ok(())
    }
}
