//! Where the library of DuckDB is looked for. Compiling it takes longer than all the rest of iGen,
//! so a prebuilt one is loaded when it is needed.

use std::env;
use std::path::PathBuf;
use std::sync::OnceLock;

use igen_job::JobError;

use super::ffi::Library;

/// The release that `igen install duckdb` gets, and that results are published with.
const VERSION: &str = "1.5.5";
const FILE: &str = "libduckdb.so";
const HINT: &str = if cfg!(target_feature = "crt-static") {
    "this static agent cannot load libraries: use the agent that pip installs"
} else {
    "install it with `igen install duckdb`, or set IGEN_DUCKDB to the path of libduckdb.so"
};

/// The library, loaded once.
pub(super) fn library() -> Result<&'static Library, JobError> {
    static LIBRARY: OnceLock<Result<Library, JobError>> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| {
        let path = locate(
            env::var_os("IGEN_DUCKDB").map(PathBuf::from),
            &[beside_agent(), in_cache()],
        );
        Library::load(&path).map_err(|error| {
            JobError::new(format!("cannot load the DuckDB library: {error}")).hint(HINT)
        })
    });
    library.as_ref().map_err(JobError::clone)
}

/// The `given` path, else the first of `places` that is there, else the name alone, which the
/// system looks for.
fn locate(given: Option<PathBuf>, places: &[Option<PathBuf>]) -> PathBuf {
    given
        .or_else(|| places.iter().flatten().find(|path| path.exists()).cloned())
        .unwrap_or_else(|| PathBuf::from(FILE))
}

fn beside_agent() -> Option<PathBuf> {
    Some(env::current_exe().ok()?.parent()?.join(FILE))
}

fn in_cache() -> Option<PathBuf> {
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.filter(|path| path.is_absolute());
    let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")))?;
    Some(cache.join("igen/duckdb").join(VERSION).join(FILE))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_given_path_wins_then_the_first_that_is_there() {
        let directory = tempfile::tempdir().unwrap();
        let absent = Some(directory.path().join("absent.so"));
        let present = Some(directory.path().to_owned());
        let given = PathBuf::from("/given/libduckdb.so");
        let places = [None, absent, present.clone()];
        assert_eq!(locate(Some(given.clone()), &places), given);
        assert_eq!(Some(locate(None, &places)), present);
        assert_eq!(locate(None, &places[..2]), PathBuf::from(FILE));
    }
}
