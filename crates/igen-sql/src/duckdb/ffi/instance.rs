//! An open database file.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null_mut;

use super::functions::{Handle, Library};
use super::{SUCCESS, c_text, text_of};

/// A database file that this process has open, once for all its connections.
pub(in crate::duckdb) struct Instance {
    pub(super) library: &'static Library,
    pub(super) handle: Handle,
}

// SAFETY: DuckDB lets all threads use a database at once.
unsafe impl Send for Instance {}
// SAFETY: as above.
unsafe impl Sync for Instance {}

impl Instance {
    /// Opens the file at `path` with `settings`, names and values; an error is DuckDB's text.
    pub(in crate::duckdb) fn open(
        library: &'static Library,
        path: &Path,
        settings: &[(&str, &str)],
    ) -> Result<Self, String> {
        let invalid = |_| format!("the path {} contains a zero byte", path.display());
        let path = std::ffi::CString::new(path.as_os_str().as_bytes()).map_err(invalid)?;
        let mut config = null_mut();
        // SAFETY: `config` is a place for a handle, freed below.
        unsafe { (library.duckdb_create_config)(&raw mut config) };
        for (name, value) in settings {
            let (Ok(name), Ok(value)) = (c_text(name), c_text(value)) else {
                continue;
            };
            // SAFETY: `config` is live, the texts end with a zero byte.
            unsafe { (library.duckdb_set_config)(config, name.as_ptr(), value.as_ptr()) };
        }
        let (mut handle, mut error) = (null_mut(), null_mut());
        // SAFETY: `config` is live, the text ends with a zero byte, the places outlive the call;
        // then `config` is used no more.
        let state = unsafe {
            let state =
                (library.duckdb_open_ext)(path.as_ptr(), &raw mut handle, config, &raw mut error);
            (library.duckdb_destroy_config)(&raw mut config);
            state
        };
        if state == SUCCESS {
            return Ok(Self { library, handle });
        }
        // SAFETY: a failed open leaves a text that is ours to free, or null, which may be freed.
        unsafe {
            let text = text_of(error);
            (library.duckdb_free)(error.cast());
            Err(text)
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: every connection has a share in this: none is left.
        unsafe { (self.library.duckdb_close)(&raw mut self.handle) };
    }
}
