//! What engines in process share: their targets are files, which are loaded under another name.

mod claim;
mod file;
mod fill;
mod target;

pub(crate) use claim::{Claim, discard_interrupted};
pub(crate) use file::{FileIdentity, Found, beside, io_error};
pub(crate) use fill::{FileLoader, fill, metadata_of, select_metadata};
pub(crate) use target::path_of;
