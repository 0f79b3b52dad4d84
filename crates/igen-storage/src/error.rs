//! Why an I/O failed, in words and with the field's name for it.

use std::io::Error;

use rustix::io::Errno;

/// Such as `input/output error (EIO)`.
#[must_use]
pub fn reason(error: &Error) -> String {
    let known = error.raw_os_error().map(Errno::from_raw_os_error);
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
        assert_eq!(reason(&Error::from(Errno::IO)), "input/output error (EIO)");
        assert!(reason(&Error::from(Errno::XDEV)).contains("os error"));
    }
}
