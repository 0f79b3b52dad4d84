//! `ldap-bind`: a person authenticates with name and password, on a connection that stays.

use igen_engine::{Failure, Recorder, User};
use igen_ldap::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keys::Chooser;
use super::params::TreeParams;
use super::shard::Shard;
use super::step::at;
use super::{LdapWorkload, Needs};

const BIND: usize = 0;
const BYTES: usize = 0;

/// The workload.
pub struct Bind;

/// Parameters of `ldap-bind`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// The tree and who is chosen from it.
    #[serde(flatten)]
    pub tree: TreeParams,
}

impl super::Params for Params {
    fn tree(&self) -> &TreeParams {
        &self.tree
    }
}

/// A user of `ldap-bind`.
pub struct BindUser {
    connection: Connection,
    chooser: Chooser,
}

impl LdapWorkload for Bind {
    const NAME: &'static str = "ldap-bind";
    const SUMMARY: &'static str = "directory: one simple bind with name and password";
    const TRANSACTIONS: &'static str = "binds";
    const OPERATIONS: &'static [&'static str] = &["bind"];
    const COUNTERS: &'static [&'static str] = &["bytes"];
    type Params = Params;
    type User = BindUser;

    fn needs(_: &Params) -> Needs {
        Needs {
            writes: false,
            passwords: true,
        }
    }

    fn boundaries(_: &Params) -> String {
        "one simple bind as a person, on a connection that stays".to_owned()
    }

    async fn user(
        _params: &Params,
        shard: &Shard,
        _target: usize,
        chooser: Chooser,
    ) -> Result<BindUser, Failure> {
        let mut connection = shard.directory.connect().await?;
        connection.join_ring()?;
        Ok(BindUser {
            connection,
            chooser,
        })
    }
}

impl User for BindUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let key = self.chooser.next();
        let bind = self.connection.bind(&key.dn, &key.password);
        let bytes = recorder.time(BIND, bind).await.map_err(at("bind"))?;
        recorder.count(BYTES, bytes);
        Ok(())
    }
}
