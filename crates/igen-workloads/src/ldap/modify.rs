//! `ldap-modify`: replaces the description of a person with random letters.

use igen_engine::{Failure, Recorder, User};
use igen_ldap::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keys::Chooser;
use super::marker::DESCRIPTION;
use super::params::TreeParams;
use super::person::DESCRIPTION_LETTERS;
use super::shard::Shard;
use super::step::at;
use super::{LdapWorkload, Needs};

const MODIFY: usize = 0;
const BYTES: usize = 0;

/// The workload.
pub struct Modify;

/// Parameters of `ldap-modify`.
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

/// A user of `ldap-modify`.
pub struct ModifyUser {
    connection: Connection,
    chooser: Chooser,
}

impl LdapWorkload for Modify {
    const NAME: &'static str = "ldap-modify";
    const SUMMARY: &'static str = "directory: one modify of a description to 80 random letters";
    const TRANSACTIONS: &'static str = "modifies";
    const OPERATIONS: &'static [&'static str] = &["modify"];
    const COUNTERS: &'static [&'static str] = &["bytes"];
    type Params = Params;
    type User = ModifyUser;

    fn needs(_: &Params) -> Needs {
        Needs {
            writes: true,
            passwords: false,
        }
    }

    fn boundaries(_: &Params) -> String {
        format!(
            "one modify: the {DESCRIPTION} of a person replaced by {DESCRIPTION_LETTERS} random letters"
        )
    }

    async fn user(
        _params: &Params,
        shard: &Shard,
        _target: usize,
        chooser: Chooser,
    ) -> Result<ModifyUser, Failure> {
        let mut connection = shard.directory.bound().await?;
        connection.join_ring()?;
        Ok(ModifyUser {
            connection,
            chooser,
        })
    }
}

impl User for ModifyUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        self.chooser.next();
        let modify = describe(&mut self.connection, &mut self.chooser);
        let bytes = recorder.time(MODIFY, modify).await?;
        recorder.count(BYTES, bytes);
        Ok(())
    }
}

/// Replaces the description of the person that was chosen last; returns the bytes of the answer.
#[inline]
pub(super) async fn describe(
    connection: &mut Connection,
    chooser: &mut Chooser,
) -> Result<u64, Failure> {
    let mut description = [0; DESCRIPTION_LETTERS];
    chooser.letters(&mut description);
    connection
        .modify(&chooser.last().dn, DESCRIPTION, &[&description])
        .await
        .map_err(at("modify"))
}
