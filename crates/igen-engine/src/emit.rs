//! Where events go.

use std::sync::Arc;

use igen_job::event::Event;

/// Takes events; called from several threads.
pub type Emit = Arc<dyn Fn(Event) + Send + Sync>;
