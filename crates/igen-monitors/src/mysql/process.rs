//! Whether the server runs on this host, and as which process.

use std::fs;

use igen_kernel::proc_file::read_once;

/// What the server says of where it runs.
pub(super) const IDENTITY: &str = "SELECT @@hostname, @@datadir, @@pid_file";

const PROGRAMS: [&str; 2] = ["mariadbd", "mysqld"];

/// The server's process, from a row of `IDENTITY`: where the host is this one and its file names a
/// process of that program.
pub(super) fn server_pid(row: &[Option<String>]) -> Option<u32> {
    let [Some(host), Some(data), Some(file)] = row else {
        return None;
    };
    if fs::read_to_string("/proc/sys/kernel/hostname").ok()?.trim() != host {
        return None;
    }
    let path = std::path::Path::new(data).join(file);
    let pid = fs::read_to_string(path).ok()?.trim().parse().ok()?;
    let mut buffer = [0; 64];
    let program = read_once(&format!("/proc/{pid}/comm"), &mut buffer).ok()?;
    PROGRAMS.contains(&program.trim()).then_some(pid)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_file_that_names_another_program_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join("pid"),
            format!("{}\n", std::process::id()),
        )
        .unwrap();
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        let data = folder.path().to_str().unwrap();
        for row in [
            [Some(host.trim()), Some(data), Some("pid")],
            [Some(host.trim()), Some(data), Some("no such file")],
            [Some("elsewhere"), Some(data), Some("pid")],
            [None, None, None],
        ] {
            let row = row.map(|value| value.map(str::to_owned));
            assert_eq!(server_pid(&row), None, "{row:?}");
        }
    }
}
