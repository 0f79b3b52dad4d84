//! `ldap-siteminder` (iGenLDAPsm v1): what `SiteMinder` asks a directory when a person logs in with
//! password services on: eight searches, a bind and a modify, on two connections.

use igen_engine::{Failure, Recorder, User};
use igen_ldap::{Entry, Filter, Scope, SearchRequest, SearchResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::identity::is_same;
use super::keys::Chooser;
use super::marker::DESCRIPTION;
use super::params::TreeParams;
use super::person::DESCRIPTION_LETTERS;
use super::shard::Shard;
use super::shared::{Link, Role};
use super::step::{at, one, right};
use super::{LdapWorkload, Needs};

const INITIAL: usize = 0;
const SUBSEQUENT: usize = 1;
const BIND: usize = 2;
const MODIFY: usize = 3;
const ENTRIES: usize = 0;
const BYTES: usize = 1;
const REFERRALS: usize = 2;

/// The attribute that a search of the person's own entry wants to be there and asks for.
type Step = (&'static str, &'static str);
const SEARCH_2: Step = ("search 2", "objectClass");
/// Between bind and modify.
const BEFORE_MODIFY: [Step; 3] = [
    ("search 3", "givenName"),
    ("search 4", "sn"),
    ("search 5", "givenName"),
];
const AFTER_MODIFY: [Step; 3] = [
    ("search 6", "givenName"),
    ("search 7", "givenName"),
    ("search 8", "cn"),
];

/// The workload.
pub struct SiteMinder;

/// Parameters of `ldap-siteminder`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// Include the modify; false: nine operations.
    pub modify: bool,
    /// Let all users of a load thread share two connections.
    ///
    /// Operations then wait for each other, which changes the result completely.
    pub share_connections: bool,
    /// The tree and who is chosen from it.
    #[serde(flatten)]
    pub tree: TreeParams,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            modify: true,
            share_connections: false,
            tree: TreeParams::default(),
        }
    }
}

impl super::Params for Params {
    fn tree(&self) -> &TreeParams {
        &self.tree
    }
}

/// A user of `ldap-siteminder`.
pub struct SiteMinderUser {
    administrator: Link,
    person: Link,
    chooser: Chooser,
    base: String,
    login_attribute: String,
    /// Distinguished name that the first search has found.
    dn: Vec<u8>,
    modify: bool,
}

impl LdapWorkload for SiteMinder {
    const NAME: &'static str = "ldap-siteminder";
    const SUMMARY: &'static str =
        "directory: a login in the way of SiteMinder: eight searches, a bind and a modify";
    const TRANSACTIONS: &'static str = "authentications";
    const OPERATIONS: &'static [&'static str] =
        &["search.initial", "search.subsequent", "bind", "modify"];
    const COUNTERS: &'static [&'static str] = &["entries", "bytes", "referrals"];
    type Params = Params;
    type User = SiteMinderUser;

    fn needs(params: &Params) -> Needs {
        Needs {
            writes: params.modify,
            passwords: true,
        }
    }

    fn boundaries(params: &Params) -> String {
        format!(
            "one authentication: {} operations, one after another: search by ({}=<login>), search of the \
             entry found, bind as the person on a second connection, three searches{}, three searches; \
             {}; a step that fails ends it",
            if params.modify { "ten" } else { "nine" },
            params.tree.login_attribute,
            if params.modify {
                ", modify of the description"
            } else {
                ""
            },
            if params.share_connections {
                "all users of a load thread share two connections"
            } else {
                "two connections for each user"
            }
        )
    }

    async fn user(
        params: &Params,
        shard: &Shard,
        target: usize,
        chooser: Chooser,
    ) -> Result<SiteMinderUser, Failure> {
        let open = |role| Link::open(&shard.directory, target, role, params.share_connections);
        Ok(SiteMinderUser {
            administrator: open(Role::Administrator).await?,
            person: open(Role::Person).await?,
            chooser,
            base: shard.base.clone(),
            login_attribute: shard.login_attribute.clone(),
            dn: Vec::with_capacity(128),
            modify: params.modify,
        })
    }
}

impl User for SiteMinderUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        self.chooser.next();
        let found = recorder.time(INITIAL, self.find());
        count(found.await?, recorder);
        // The filter of the second search matches any entry, as `objectClass` does.
        self.look(SEARCH_2, recorder).await?;
        let bytes = recorder.time(BIND, self.bind()).await?;
        recorder.count(BYTES, bytes);
        for step in BEFORE_MODIFY {
            self.look(step, recorder).await?;
        }
        if self.modify {
            let bytes = recorder.time(MODIFY, self.describe()).await?;
            recorder.count(BYTES, bytes);
        }
        for step in AFTER_MODIFY {
            self.look(step, recorder).await?;
        }
        Ok(())
    }
}

impl SiteMinderUser {
    /// Search 1: the person's entry by the login.
    #[inline]
    async fn find(&mut self) -> Result<SearchResult, Failure> {
        let search = SearchRequest {
            base: self.base.as_bytes(),
            scope: Scope::Subtree,
            filter: Filter::Equality(&self.login_attribute, &self.chooser.last().login),
            attributes: &["objectClass"],
            size_limit: 0,
        };
        let dn = &mut self.dn;
        let look = |entry: Entry<'_>| {
            dn.clear();
            dn.extend_from_slice(entry.dn);
        };
        let mut administrator = self.administrator.turn().await;
        let found = administrator.search(&search, look).await;
        let is_right = |found| right(found, is_same(&self.dn, &self.chooser.last().dn));
        found
            .and_then(one)
            .and_then(is_right)
            .map_err(at("search 1"))
    }

    /// Searches 2 to 8: an attribute of the entry that was found.
    #[inline]
    async fn look(
        &mut self,
        (step, attribute): Step,
        recorder: &mut Recorder,
    ) -> Result<(), Failure> {
        let search = SearchRequest {
            base: &self.dn,
            scope: Scope::Base,
            filter: Filter::Present(attribute),
            attributes: &[attribute],
            size_limit: 0,
        };
        let administrator = &self.administrator;
        let look = async {
            let mut administrator = administrator.turn().await;
            let mut is_right = false;
            let see = |entry: Entry<'_>| is_right = is_same(entry.dn, &self.dn);
            let found = administrator.search(&search, see).await;
            let found = found.and_then(one);
            found
                .and_then(|found| right(found, is_right))
                .map_err(at(step))
        };
        count(recorder.time(SUBSEQUENT, look).await?, recorder);
        Ok(())
    }

    #[inline]
    async fn bind(&mut self) -> Result<u64, Failure> {
        let mut person = self.person.turn().await;
        let bound = person.bind(&self.dn, &self.chooser.last().password).await;
        bound.map_err(at("bind"))
    }

    #[inline]
    async fn describe(&mut self) -> Result<u64, Failure> {
        let mut description = [0; DESCRIPTION_LETTERS];
        self.chooser.letters(&mut description);
        let mut administrator = self.administrator.turn().await;
        let values = [&description[..]];
        let modified = administrator.modify(&self.dn, DESCRIPTION, &values);
        modified.await.map_err(at("modify"))
    }
}

#[inline]
fn count(found: SearchResult, recorder: &mut Recorder) {
    recorder.count(ENTRIES, found.entries);
    recorder.count(BYTES, found.bytes);
    recorder.count(REFERRALS, found.referrals);
}
