//! Why an I/O failed, in words and with the field's name for it.

use std::io::Error;

use igen_job::{FailureKind, Reason};
use rustix::io::Errno;

/// Such as `input/output error (EIO)`, and whether it is the device that failed.
#[must_use]
pub fn reason(error: &Error) -> Reason {
    let known = error.raw_os_error().map(Errno::from_raw_os_error);
    let kind = match known {
        Some(
            Errno::IO
            | Errno::NOSPC
            | Errno::DQUOT
            | Errno::ROFS
            | Errno::NXIO
            | Errno::NODEV
            | Errno::TIMEDOUT
            | Errno::STALE,
        ) => FailureKind::Device,
        _ => FailureKind::Other,
    };
    Reason::new(kind, text(error, known))
}

fn text(error: &Error, known: Option<Errno>) -> String {
    let name = match known {
        Some(Errno::IO) => "input/output error (EIO)",
        Some(Errno::NOSPC) => "no space left on device (ENOSPC)",
        Some(Errno::DQUOT) => "disk quota exceeded (EDQUOT)",
        Some(Errno::ROFS) => "read-only file system (EROFS)",
        Some(Errno::INVAL) => "invalid argument (EINVAL)",
        Some(Errno::NXIO) => "no such device or address (ENXIO)",
        Some(Errno::NODEV) => "no such device (ENODEV)",
        Some(Errno::NOMEM) => "out of memory (ENOMEM)",
        Some(Errno::FBIG) => "file too large (EFBIG)",
        Some(Errno::BADF) => "bad file descriptor (EBADF)",
        Some(Errno::TIMEDOUT) => "the device timed out (ETIMEDOUT)",
        Some(Errno::STALE) => "stale file handle (ESTALE)",
        Some(Errno::PERM) => "operation not permitted (EPERM)",
        Some(Errno::ACCESS) => "permission denied (EACCES)",
        Some(Errno::BUSY) => "device or resource busy (EBUSY)",
        Some(Errno::NOENT) => "no such file or directory (ENOENT)",
        _ => return error.to_string(),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_fields_names() {
        let failed = Reason::new(FailureKind::Device, "input/output error (EIO)");
        assert_eq!(reason(&Error::from(Errno::IO)), failed);
        assert!(reason(&Error::from(Errno::XDEV)).text.contains("os error"));
    }
}
