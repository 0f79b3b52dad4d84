//! Programs that are in a control group from their beginning: unsafe code for what happens between fork and exec.

#![allow(unsafe_code)]

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::write;

use crate::group::Group;

/// Makes `command` start its program in the group. If the kernel refuses that, the program starts outside of it. Fails
/// if the folder of the group cannot be opened by its name.
pub fn start_within(group: &Group, command: &mut Command) -> io::Result<()> {
    let processes = CString::new(group.processes().into_os_string().into_vec())?;
    // SAFETY: between fork and exec, in a copy of one thread of a process that may have others: system calls only, on
    // memory that is there, without allocation.
    unsafe {
        command.pre_exec(move || {
            let flags = OFlags::WRONLY | OFlags::CLOEXEC;
            if let Ok(file) = open(processes.as_c_str(), flags, Mode::empty()) {
                // 0 is who writes. It may be refused, such as to a fixed priority where groups share these out.
                let _ = write(&file, b"0");
            }
            Ok(())
        });
    }
    Ok(())
}
