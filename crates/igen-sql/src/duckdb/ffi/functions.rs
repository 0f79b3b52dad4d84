//! The functions of the library, found by name.

use std::ffi::{c_char, c_void};
use std::path::Path;

use super::text_of;

/// An opaque handle of DuckDB; null where there is none.
pub(super) type Handle = *mut c_void;

/// The outcome of a statement. Only `internal` is in use; the rest is kept by DuckDB for programs
/// of its early days.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct RawResult {
    column_count: u64,
    row_count: u64,
    rows_changed: u64,
    columns: Handle,
    error: *mut c_char,
    internal: Handle,
}

impl RawResult {
    pub(super) const EMPTY: Self = Self {
        column_count: 0,
        row_count: 0,
        rows_changed: 0,
        columns: std::ptr::null_mut(),
        error: std::ptr::null_mut(),
        internal: std::ptr::null_mut(),
    };
}

/// Microseconds since 1970.
#[repr(C)]
pub(super) struct Timestamp(pub(super) i64);

/// Declares the functions of the library, and how all of them are found.
macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The library, loaded for as long as the process lives.
        #[derive(Clone, Copy)]
        pub(in crate::duckdb) struct Library {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Library {
            /// Loads the library at `path`, or of that name on the system's path.
            pub(in crate::duckdb) fn load(path: &Path) -> Result<Self, libloading::Error> {
                // SAFETY: the library's initialisers are those of a C++ library without demands.
                // It is never unloaded, so that its functions live as long as the process.
                let library = Box::leak(Box::new(unsafe { libloading::Library::new(path) }?));
                Ok(Self {
                    $(
                        // SAFETY: the type is that of duckdb.h, which DuckDB keeps from release to
                        // release.
                        $name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }?,
                    )*
                })
            }
        }
    };
}

functions! {
    duckdb_library_version() -> *const c_char;

    duckdb_create_config(*mut Handle) -> u32;
    duckdb_set_config(Handle, *const c_char, *const c_char) -> u32;
    duckdb_destroy_config(*mut Handle);
    duckdb_open_ext(*const c_char, *mut Handle, Handle, *mut *mut c_char) -> u32;
    duckdb_close(*mut Handle);
    duckdb_free(*mut c_void);
    duckdb_connect(Handle, *mut Handle) -> u32;
    duckdb_disconnect(*mut Handle);

    duckdb_query(Handle, *const c_char, *mut RawResult) -> u32;
    duckdb_prepare(Handle, *const c_char, *mut Handle) -> u32;
    duckdb_prepare_error(Handle) -> *const c_char;
    duckdb_destroy_prepare(*mut Handle);
    duckdb_bind_int64(Handle, u64, i64) -> u32;
    duckdb_execute_prepared(Handle, *mut RawResult) -> u32;

    duckdb_result_error(*mut RawResult) -> *const c_char;
    duckdb_destroy_result(*mut RawResult);
    duckdb_rows_changed(*mut RawResult) -> u64;
    duckdb_column_count(*mut RawResult) -> u64;
    duckdb_column_logical_type(*mut RawResult, u64) -> Handle;
    duckdb_get_type_id(Handle) -> u32;
    duckdb_decimal_scale(Handle) -> u8;
    duckdb_decimal_internal_type(Handle) -> u32;
    duckdb_destroy_logical_type(*mut Handle);
    duckdb_fetch_chunk(RawResult) -> Handle;
    duckdb_destroy_data_chunk(*mut Handle);
    duckdb_data_chunk_get_size(Handle) -> u64;
    duckdb_data_chunk_get_vector(Handle, u64) -> Handle;
    duckdb_vector_get_data(Handle) -> *mut c_void;
    duckdb_vector_get_validity(Handle) -> *mut u64;

    duckdb_appender_create(Handle, *const c_char, *const c_char, *mut Handle) -> u32;
    duckdb_appender_error(Handle) -> *const c_char;
    duckdb_appender_close(Handle) -> u32;
    duckdb_appender_destroy(*mut Handle) -> u32;
    duckdb_appender_end_row(Handle) -> u32;
    duckdb_append_int64(Handle, i64) -> u32;
    duckdb_append_varchar_length(Handle, *const c_char, u64) -> u32;
    duckdb_append_timestamp(Handle, Timestamp) -> u32;
}

impl Library {
    /// Version, such as `v1.5.5`.
    pub(in crate::duckdb) fn version(&self) -> String {
        // SAFETY: takes nothing and returns a text that lives as long as the library.
        unsafe { text_of((self.duckdb_library_version)()) }
    }
}
