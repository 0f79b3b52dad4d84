//! On real loop devices where they can be had: as root, with the tools that make file systems.

#![allow(clippy::unwrap_used)]

use std::process::Command;

use tempfile::TempDir;

use super::*;
use crate::{Access, Direct, Volume};

/// Runs a command; what it wrote, or None where it is missing or fails, after saying so.
fn run(command: &[&str]) -> Option<String> {
    let path = "/usr/sbin:/usr/bin:/sbin:/bin";
    let mut made = Command::new(command[0]);
    let done = match made.args(&command[1..]).env("PATH", path).output() {
        Ok(done) if done.status.success() => done,
        Ok(done) => {
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            eprintln!("skipped: {command:?}: {said}");
            return None;
        }
        Err(error) => {
            eprintln!("skipped: {command:?}: {error}");
            return None;
        }
    };
    Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

/// A loop device over a sparse file, unmounted and detached at the end.
struct Loop {
    path: String,
    folder: TempDir,
}

impl Loop {
    /// None where loop devices cannot be had: the test is then skipped.
    fn new(size_bytes: u64) -> Option<Self> {
        Self::with(size_bytes, "--partscan")
    }

    fn with(size_bytes: u64, option: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("image");
        File::create(&image).unwrap().set_len(size_bytes).unwrap();
        let image = image.to_str().unwrap();
        let attached = run(&["losetup", "--show", option, "--find", image]);
        Some(Self {
            path: attached?,
            folder,
        })
    }

    fn contents(&self) -> Contents {
        inspect(Path::new(&self.path)).unwrap()
    }

    fn opened_for_writing(&self) -> io::Result<Volume> {
        Volume::open(Path::new(&self.path), Access::Write, Direct::Off)
    }

    fn mount_point(&self) -> String {
        let mount_point = self.folder.path().join("mounted");
        std::fs::create_dir_all(&mount_point).unwrap();
        mount_point.to_str().unwrap().to_owned()
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let mount_point = self.folder.path().join("mounted");
        for (command, at) in [
            ("umount", mount_point.as_path()),
            ("swapoff", Path::new(&self.path)),
        ] {
            // Only what some tests do is to be undone.
            let _ = Command::new(command).arg(at).output();
        }
        let _ = run(&["losetup", "--detach", &self.path]);
    }
}

/// Goes on only where the tool is there and does what is asked.
macro_rules! or_skip {
    ($made:expr) => {
        match $made {
            Some(made) => made,
            None => return,
        }
    };
}

const SIZE_BYTES: u64 = 16 << 20;

#[test]
fn a_blank_device_is_named_by_its_file() {
    let device = or_skip!(Loop::new(SIZE_BYTES));
    let contents = device.contents();
    assert!(contents.is_blank() && !contents.is_in_use(), "{contents:?}");
    assert!(!contents.is_read_only);
    let file = device.folder.path().join("image");
    let expected = format!(
        "{} (the file {}, 16.8 MB) holds nothing known",
        device.path,
        file.display()
    );
    assert_eq!(contents.to_string(), expected);
    let claimed = device.opened_for_writing().unwrap();
    let second = device.opened_for_writing().unwrap_err();
    assert_eq!(second.kind(), io::ErrorKind::ResourceBusy);
    drop(claimed);
}

#[test]
fn file_systems_are_told_with_their_labels() {
    for (command, expected) in [
        (
            &["mkfs.ext4", "-q", "-L", "data"][..],
            "ext4 file system \"data\"",
        ),
        (&["mkfs.ext2", "-q"], "ext2 file system"),
        (&["mkfs.vfat", "-n", "STICK"], "FAT file system \"STICK\""),
        (&["mkswap", "-L", "spare"], "swap area \"spare\""),
    ] {
        let device = or_skip!(Loop::new(SIZE_BYTES));
        let Some(_) = run(&[command, &[device.path.as_str()]].concat()) else {
            continue;
        };
        let contents = device.contents();
        assert_eq!(contents.describe(), [expected], "{}", command[0]);
        assert!(!contents.is_blank() && !contents.is_in_use());
    }
}

#[test]
fn a_mounted_device_is_in_use_and_cannot_be_claimed() {
    let device = or_skip!(Loop::new(SIZE_BYTES));
    or_skip!(run(&["mkfs.ext4", "-q", &device.path]));
    let mount_point = device.mount_point();
    or_skip!(run(&["mount", &device.path, &mount_point]));
    let contents = device.contents();
    assert!(contents.is_in_use());
    let expected = format!("ext4 file system, mounted at {mount_point}");
    assert_eq!(contents.describe(), [expected]);
    let refused = device.opened_for_writing().unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::ResourceBusy);

    let below = backing::of(&Path::new(&mount_point).join("not/yet")).unwrap();
    assert_eq!(below.file_system.as_deref(), Some("ext4"));
    assert_eq!(
        below.devices,
        [BlockDevice::at(Path::new(&device.path)).unwrap()]
    );
}

#[test]
fn what_is_on_partitions_is_told_with_the_table() {
    let device = or_skip!(Loop::new(SIZE_BYTES));
    let script = "label: gpt\nsize=4MiB\nsize=4MiB\n";
    let image = device.folder.path().join("script");
    std::fs::write(&image, script).unwrap();
    let table = format!("sfdisk -q {} < {}", device.path, image.display());
    or_skip!(run(&["sh", "-c", &table]));
    let first = format!("{}p1", device.path);
    for (number, start) in [("1", "2048"), ("2", "10240")] {
        // A kernel that does not read this kind of table can be told.
        if !Path::new(&format!("{}p{number}", device.path)).exists() {
            or_skip!(run(&["addpart", &device.path, number, start, "8192"]));
        }
    }
    or_skip!(run(&["mkfs.ext2", "-q", &first]));
    let contents = device.contents();
    assert_eq!(contents.partitions.len(), 2);
    assert_eq!(
        contents.describe(),
        [
            "GPT partition table",
            "GPT partition table (copy at the end)",
            &format!("partition {first} (4.19 MB): ext2 file system"),
            &format!("partition {}p2 (4.19 MB): nothing known", device.path),
        ]
    );
    assert!(!contents.is_in_use());

    let mount_point = device.mount_point();
    or_skip!(run(&["mount", &first, &mount_point]));
    assert!(device.contents().is_in_use());
    let second = inspect(Path::new(&format!("{}p2", device.path))).unwrap();
    assert!(!second.is_in_use(), "{second}");
    assert!(device.opened_for_writing().is_err());
}

#[test]
fn every_device_of_a_mounted_btrfs_is_in_use() {
    let first = or_skip!(Loop::new(128 << 20));
    let second = or_skip!(Loop::new(128 << 20));
    or_skip!(run(&[
        "mkfs.btrfs",
        "-q",
        "-L",
        "pool",
        "-m",
        "raid1",
        "-d",
        "raid1",
        &first.path,
        &second.path
    ]));
    assert_eq!(second.contents().describe(), ["btrfs file system \"pool\""]);
    let mount_point = first.mount_point();
    or_skip!(run(&["mount", &first.path, &mount_point]));
    let expected = format!("btrfs file system \"pool\", mounted at {mount_point}");
    for device in [&first, &second] {
        assert_eq!(device.contents().describe(), [expected.as_str()]);
    }
    let below = backing::of(Path::new(&mount_point)).unwrap();
    assert_eq!(below.devices.len(), 2);
    drop(first);
}

#[test]
fn a_device_that_is_swapped_to_is_in_use() {
    let device = or_skip!(Loop::new(SIZE_BYTES));
    or_skip!(run(&["mkswap", &device.path]));
    or_skip!(run(&["swapon", &device.path]));
    assert_eq!(device.contents().describe(), ["swap area, swapped to"]);
}

#[test]
fn a_device_behind_another_loop_device_is_held() {
    let below = or_skip!(Loop::new(SIZE_BYTES));
    let above = or_skip!(run(&["losetup", "--show", "--find", &below.path]));
    let contents = below.contents();
    run(&["losetup", "--detach", &above]).unwrap();
    assert_eq!(contents.describe(), [format!("held by {above}")]);
}

#[test]
fn a_device_is_known_again_and_told_from_another() {
    let (one, other) = (
        or_skip!(Loop::new(SIZE_BYTES)),
        or_skip!(Loop::new(SIZE_BYTES)),
    );
    let identity = |path: &str| BlockDevice::at(Path::new(path)).unwrap().identity();
    let known = identity(&one.path);
    assert_ne!(known, identity(&other.path));
    // Under another name.
    let image = one.folder.path().join("image");
    let again = run(&["losetup", "--show", "--find", image.to_str().unwrap()]).unwrap();
    let found = identity(&again);
    run(&["losetup", "--detach", &again]).unwrap();
    assert_eq!(found, known);
}

#[test]
fn a_device_that_may_not_be_written_says_so() {
    let device = or_skip!(Loop::with(SIZE_BYTES, "--read-only"));
    assert!(device.contents().is_read_only);
}

#[test]
fn what_is_no_block_device_is_refused() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for path in [file.path(), Path::new("/dev/null"), Path::new("/")] {
        let error = inspect(path).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{error}");
    }
    let missing = inspect(Path::new("/dev/none")).unwrap_err();
    assert_eq!(missing.kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_device_that_cannot_be_read_is_an_error_and_not_blank() {
    let device = or_skip!(Loop::new(SIZE_BYTES));
    let image = File::options()
        .write(true)
        .open(device.folder.path().join("image"))
        .unwrap();
    image.set_len(4096).unwrap();
    let error = inspect(Path::new(&device.path)).unwrap_err();
    let expected = "what is on it cannot be told: input/output error (EIO)";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn swaps_are_the_first_column() {
    let text = "Filename\tType\tSize\tUsed\tPriority\n/dev/sda2 partition 8 0 -2\n/swap\\040file file 8 0 -3\n";
    assert_eq!(
        swap_paths(text),
        [PathBuf::from("/dev/sda2"), "/swap file".into()]
    );
    assert!(swap_paths("").is_empty());
}

#[test]
fn sizes_have_three_digits() {
    for (bytes, expected) in [
        (0, "0 bytes"),
        (512, "512 bytes"),
        (16 << 20, "16.8 MB"),
        (512_110_190_592, "512 GB"),
        (999_900_000_000, "1.00 TB"),
        (4_000_787_030_016, "4.00 TB"),
    ] {
        assert_eq!(size(bytes), expected);
    }
}
