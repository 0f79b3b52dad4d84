//! Directories: `ldap-search` (iGenLDAPs), `ldap-bind`, `ldap-modify`, `ldap-mixed` and
//! `ldap-siteminder` (iGenLDAPsm), on one tree of persons, loaded by iGen or somebody's own.
//!
//! Several targets are shards: each holds as many persons, and each user loads one of them.

pub mod bind;
mod identity;
mod key_file;
mod keys;
mod marker;
pub mod mixed;
pub mod modify;
mod params;
mod person;
pub mod search;
mod shard;
mod shared;
pub mod siteminder;
mod step;

use std::future::Future;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use igen_engine::{Failure, ProgressReporter, Setup, User, UserContext, Workload};
use igen_job::{Fact, JobError, Placement, facts};
use igen_ldap::{Directory, Operations, SCHEMES};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use key_file::KeyFile;
use keys::{Chooser, Keys};
pub use params::{PasswordScheme, Referrals, TreeParams};
use person::Persons;
use shard::Shard;

/// Differences between the LDAP workloads.
pub trait LdapWorkload: Send + Sync + 'static {
    /// As of `Workload`.
    const NAME: &'static str;
    /// As of `Workload`.
    const SUMMARY: &'static str;
    /// As of `Workload`.
    const TRANSACTIONS: &'static str;
    /// As of `Workload`.
    const OPERATIONS: &'static [&'static str];
    /// As of `Workload`.
    const COUNTERS: &'static [&'static str];
    /// Parameters beside those of the tree.
    type Params: Params;
    /// A virtual user.
    type User: User;

    /// Checks the parameters.
    fn check(_params: &Self::Params) -> Result<(), JobError> {
        Ok(())
    }
    /// Which rights and passwords it needs.
    fn needs(params: &Self::Params) -> Needs;
    /// What one transaction is, for the report.
    fn boundaries(params: &Self::Params) -> String;
    /// A user of `shard`.
    fn user(
        params: &Self::Params,
        shard: &Shard,
        target: usize,
        chooser: Chooser,
    ) -> impl Future<Output = Result<Self::User, Failure>>;
}

/// Parameters of an LDAP workload.
pub trait Params: DeserializeOwned + JsonSchema + Default + Send + Sync {
    /// Those of the tree.
    fn tree(&self) -> &TreeParams;
    /// Attributes that searches return; `None` where the workload says itself.
    fn attributes(&self) -> Option<&[String]> {
        None
    }
}

/// Requirements of a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// True if it changes entries, which needs an administrator.
    pub writes: bool,
    /// True if it binds as the persons.
    pub passwords: bool,
}

/// An LDAP workload.
pub struct Ldap<K: LdapWorkload> {
    params: K::Params,
    setup: Setup,
    shards: Vec<Shard>,
    /// The servers' counts before the load.
    before: Mutex<Vec<Operations>>,
}

impl<K: LdapWorkload> Workload for Ldap<K> {
    const NAME: &'static str = K::NAME;
    const SUMMARY: &'static str = K::SUMMARY;
    const VERSION: u32 = 1;
    const TRANSACTIONS: &'static str = K::TRANSACTIONS;
    const OPERATIONS: &'static [&'static str] = K::OPERATIONS;
    const COUNTERS: &'static [&'static str] = K::COUNTERS;
    const TARGETS: &'static [&'static str] = SCHEMES;
    const PREPARES: bool = true;
    const PLACEMENT: Placement = Placement::TASKS;

    type Params = K::Params;
    type User = K::User;

    fn new(params: K::Params, setup: Setup) -> Result<Self, JobError> {
        let tree = params.tree();
        tree.check()?;
        K::check(&params)?;
        let needs = K::needs(&params);
        let own = own_keys(tree, needs)?;
        let shards = setup.targets.iter().enumerate().map(|(index, target)| {
            let shard = shard::<K>(index, target, tree, own.as_ref(), &setup)?;
            if needs.writes && shard.directory.administrator().is_none() {
                return Err(JobError::at(
                    &shard.field,
                    format!("the workload {} needs an administrator", K::NAME),
                )
                .hint("put an administrator into the target: ldap://cn=admin,dc=example,dc=com@host/…"));
            }
            Ok(shard)
        });
        Ok(Self {
            shards: shards.collect::<Result<_, JobError>>()?,
            params,
            setup,
            before: Mutex::default(),
        })
    }

    async fn prepare(&self, progress: &ProgressReporter) -> Result<(), JobError> {
        for shard in &self.shards {
            shard.prepare(progress).await?;
        }
        Ok(())
    }

    async fn verify(&self, _after: bool) -> Result<(), JobError> {
        let writes = K::needs(&self.params).writes && !self.setup.i_own_this_data;
        for shard in &self.shards {
            shard.verify(writes).await?;
        }
        Ok(())
    }

    fn export(&self, target: usize, output: &mut dyn Write) -> Result<(), JobError> {
        match self.shards.get(target) {
            Some(shard) => shard.export(output),
            None => Err(JobError::new(format!("target {target} does not exist"))),
        }
    }

    async fn facts(&self) -> Vec<Fact> {
        let mut before = Vec::new();
        for shard in &self.shards {
            before.push(shard.directory.operations().await);
        }
        *self.before.lock().unwrap_or_else(PoisonError::into_inner) = before;
        // Shards are alike, or should be: the first one speaks for all.
        let shard = &self.shards[0];
        let entries = shard.keys.len();
        let mut found = vec![
            facts::LDAP_TRANSACTION.is(K::boundaries(&self.params)),
            facts::LDAP_TREE.is(self.tree_text(&shard.stored_passwords().await)),
            facts::LDAP_ENTRIES.is(entries),
            facts::LDAP_ACCESSED_ENTRIES.is(self.params.tree().accessed(entries)),
        ];
        if let Some(attributes) = self.params.attributes() {
            let attributes = match attributes {
                [] => "all".to_owned(),
                some => some.join(", "),
            };
            found.push(facts::LDAP_ATTRIBUTES.is(attributes));
        }
        found.extend(shard.directory.facts().await);
        found
    }

    /// The servers' own count of what was sent to them.
    async fn facts_after(&self) -> Vec<Fact> {
        let before =
            std::mem::take(&mut *self.before.lock().unwrap_or_else(PoisonError::into_inner));
        let mut compared = Vec::new();
        for (shard, before) in self.shards.iter().zip(&before) {
            let since = shard.directory.operations().await.since(before);
            let mut fact = json!({ "target": shard.target, "sent": since.sent });
            match since.counted {
                Ok(counted) => fact["counted"] = json!(counted),
                Err(why) => {
                    fact["counted"] = Value::Null;
                    fact["why"] = why.into();
                }
            }
            compared.push(fact);
        }
        vec![facts::LDAP_OPERATIONS.is(compared)]
    }

    async fn user(&self, context: UserContext) -> Result<K::User, Failure> {
        let shard = &self.shards[context.target];
        let chooser = Chooser::new(shard.keys.clone(), self.params.tree(), context.seed);
        K::user(&self.params, shard, context.target, chooser).await
    }

    async fn cleanup(&self) -> Result<(), JobError> {
        for shard in &self.shards {
            shard.cleanup().await?;
        }
        Ok(())
    }
}

impl<K: LdapWorkload> Ldap<K> {
    /// Returns a description of the tree, in which passwords are `stored` so.
    fn tree_text(&self, stored: &str) -> String {
        let tree = self.params.tree();
        let shard = &self.shards[0];
        let entries = shard.keys.len();
        let whose = match (&tree.keys, self.shards.len()) {
            (Some(_), _) => "entries of an existing tree".to_owned(),
            (None, 1) => format!("persons (user.0 to user.{})", entries - 1),
            (None, shards) => format!("persons on each of {shards} shards"),
        };
        let accessed = tree.accessed(entries);
        let chosen = match &tree.keys {
            Some(_) if accessed < entries => ", chosen at random",
            _ => "",
        };
        let hot = match (tree.hot_entries_fraction, tree.hot_choices_fraction) {
            (Some(entries), Some(choices)) => format!(
                ", {:.0} % of them with {:.0} % of the choices",
                100.0 * entries,
                100.0 * choices
            ),
            _ => String::new(),
        };
        format!(
            "{entries} {whose} below {}, {} of them accessed{chosen}{hot}; passwords: {stored}",
            shard.base,
            if accessed == entries {
                "all".to_owned()
            } else {
                accessed.to_string()
            },
        )
    }
}

/// The keys of somebody's own tree, if they are named.
fn own_keys(tree: &TreeParams, needs: Needs) -> Result<Option<Arc<KeyFile>>, JobError> {
    let Some(path) = tree.keys.as_ref().and_then(|keys| keys.strip_prefix('@')) else {
        return Ok(None);
    };
    let keys = KeyFile::read(Path::new(path), &tree.login_attribute)?;
    if needs.passwords && keys.passwords() < keys.len() {
        return Err(JobError::at(
            "params.keys",
            format!(
                "{path}: {} of {} entries have no unencrypted userPassword",
                keys.len() - keys.passwords(),
                keys.len()
            ),
        )
        .hint("use a file in which all entries have one"));
    }
    Ok(Some(Arc::new(keys)))
}

fn shard<K: LdapWorkload>(
    index: usize,
    target: &str,
    tree: &TreeParams,
    own: Option<&Arc<KeyFile>>,
    setup: &Setup,
) -> Result<Shard, JobError> {
    let field = format!("targets[{index}]");
    let directory = Directory::of(target, &field, tree.timeouts(), setup.credentials)?
        .leaving_referrals(tree.referrals == Referrals::Skip);
    let base = tree.base(directory.suffix());
    let entries = u64::from(tree.entries);
    let first = index as u64 * entries;
    let (persons, keys) = if let Some(own) = own {
        (None, Keys::of(own, setup.seed))
    } else {
        let persons = Persons {
            seed: setup.seed,
            first,
            entries,
            base: base.clone(),
            password_scheme: tree.password_scheme,
        };
        let keys = Keys::Loaded {
            first,
            entries,
            base: base.clone(),
        };
        (Some(persons), keys)
    };
    Ok(Shard {
        workload: K::NAME,
        target: target.to_owned(),
        field,
        directory,
        persons,
        keys,
        login_attribute: tree.login_attribute.clone(),
        base,
    })
}
