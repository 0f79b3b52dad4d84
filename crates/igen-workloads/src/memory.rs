//! A job that asks for more memory than it may take is refused.

use std::path::Path;

use igen_engine::Setup;
use igen_job::JobError;
use igen_kernel::limits;

const MIB: u64 = 1 << 20;

/// Returns how many bytes a new allocation may use; `None` if the system does not report it.
pub(crate) fn available_bytes() -> Option<u64> {
    limits::available_bytes(Path::new("/"))
}

/// Refuses, unless forced, what is more than the `available_bytes` of memory; `field` says how much
/// each user takes.
pub(crate) fn check(
    bytes_per_user: u64,
    setup: &Setup,
    available_bytes: Option<u64>,
    field: &'static str,
) -> Result<(), JobError> {
    let at = |text| JobError::at(field, text);
    let needed_bytes = bytes_per_user.saturating_mul(setup.own_users.into());
    match available_bytes {
        Some(available_bytes) if needed_bytes > available_bytes && !setup.force => {
            let mib = |bytes: u64| bytes as f64 / MIB as f64;
            Err(at(format!(
                "{:.0} MiB ({} × {:.0} MiB) are needed, but only {:.0} MiB of memory are available",
                mib(needed_bytes),
                setup.own_users,
                mib(bytes_per_user),
                mib(available_bytes),
            ))
            .hint("use fewer bytes or users (set `users` of an open load), or add --force"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn setup(users: u32) -> Setup {
        Setup {
            targets: Vec::new(),
            users,
            own_users: users,
            agent_users: users,
            seed: 42,
            force: false,
            i_own_this_data: false,
            credentials: igen_job::Credentials::Own,
            stream: true,
            rest_s: 0.0,
        }
    }

    #[test]
    fn this_machine_tells() {
        assert!(available_bytes().is_none_or(|bytes| bytes > 0));
    }

    #[test]
    fn more_memory_than_available_is_refused_with_the_figures() {
        let gib = 1024 * MIB;
        let error = check(gib, &setup(3), Some(2 * gib), "params.field").unwrap_err();
        assert_eq!(error.path, "params.field");
        for figure in ["3072 MiB (3 × 1024 MiB)", "2048 MiB"] {
            assert!(error.text.contains(figure), "{error}");
        }
        assert!(error.hint.contains("--force"), "{error}");

        let forced = Setup {
            force: true,
            ..setup(3)
        };
        for (setup, available_bytes) in [
            (forced, Some(2 * gib)),
            (setup(3), Some(3 * gib)),
            (setup(3), None),
        ] {
            check(gib, &setup, available_bytes, "").unwrap();
        }
        check(u64::MAX / 2, &setup(9), Some(u64::MAX - 1), "").unwrap_err();
    }
}
