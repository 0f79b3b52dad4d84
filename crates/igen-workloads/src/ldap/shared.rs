//! Connections that several users of a thread may share, an operation after another.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use igen_engine::Failure;
use igen_ldap::{Connection, Directory};
use tokio::sync::{Mutex, MutexGuard};

/// What a connection of a user is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Role {
    /// Bound as the user of the target.
    Administrator,
    /// Bound again and again as a person.
    Person,
}

/// A connection of one user, or of all users of a thread.
#[derive(Clone)]
pub(super) struct Link(Rc<Mutex<Connection>>);

type Shared = HashMap<(usize, Role), Weak<Mutex<Connection>>>;

thread_local! {
    /// Those that are shared, by target and role, as long as somebody uses them.
    static SHARED: RefCell<Shared> = RefCell::default();
}

impl Link {
    /// Connects to the job's target of that number, or joins those who have.
    pub(super) async fn open(
        directory: &Directory,
        target: usize,
        role: Role,
        share: bool,
    ) -> Result<Self, Failure> {
        if share
            && let Some(shared) = shared(target, role)
            && !shared.lock().await.is_broken()
        {
            return Ok(Self(shared));
        }
        let mut connection = match role {
            Role::Administrator => directory.bound().await?,
            Role::Person => directory.connect().await?,
        };
        connection.join_ring()?;
        let connection = Rc::new(Mutex::new(connection));
        if share {
            // Another user may have connected meanwhile; the last one is shared from now on.
            SHARED.with_borrow_mut(|all| all.insert((target, role), Rc::downgrade(&connection)));
        }
        Ok(Self(connection))
    }

    /// The connection, once nobody else is in the middle of an operation.
    #[inline]
    pub(super) async fn turn(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().await
    }
}

fn shared(target: usize, role: Role) -> Option<Rc<Mutex<Connection>>> {
    SHARED.with_borrow(|all| all.get(&(target, role)).and_then(Weak::upgrade))
}
