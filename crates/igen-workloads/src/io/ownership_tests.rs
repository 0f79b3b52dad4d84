//! What somebody else has put into a file of iGen's stays as it is.

#![allow(clippy::unwrap_used)]

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{FileExt, symlink};
use std::path::Path;
use std::process::{self, Command};

use igen_engine::{ProgressReporter, Workload};
use igen_job::JobError;
use serde_json::{Value, json};

use super::tests::{load, workload};

const MIB: usize = 1 << 20;

/// A file of iGen's of 2 MiB.
async fn created(path: &Path) {
    let io = workload(path, json!({"size_bytes": "2MiB", "read": 50}), false).unwrap();
    io.prepare(&ProgressReporter::silent()).await.unwrap();
    load(&io, 100).await;
}

/// What `igen run` says before its load.
async fn prepared(path: &Path, params: Value) -> Result<(), JobError> {
    let io = workload(path, params, false)?;
    io.prepare(&ProgressReporter::silent()).await?;
    io.verify(false).await
}

#[tokio::test]
async fn what_was_appended_to_it_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    created(&path).await;
    let mut file = File::options().append(true).open(&path).unwrap();
    file.write_all(&vec![7; 4 * MIB]).unwrap();
    let before = fs::read(&path).unwrap();
    for params in [
        json!({"read": 0}),
        json!({"read": 100, "precondition": true}),
        json!({"read": 0, "verify": true}),
        json!({"read": 100, "size_bytes": "8MiB", "block": "1MiB"}),
    ] {
        let error = prepared(&path, params).await.unwrap_err();
        assert!(
            error.text.contains("from byte 2097152 to 6291455"),
            "{error}"
        );
        assert!(error.hint.contains("--i-own-this-data"), "{error}");
    }
    // A load that was not prepared for does not begin either.
    let io = workload(&path, json!({"read": 0}), false).unwrap();
    let context = igen_engine::UserContext {
        id: 0,
        seed: 0,
        target: 0,
    };
    assert!(io.user(context).await.is_err());
    let error = io.cleanup().await.unwrap_err();
    assert!(error.text.contains("from byte 2097152"), "{error}");
    assert!(fs::read(&path).unwrap() == before);

    // What is before it is iGen's, and what is only read is nobody's loss.
    let io = workload(&path, json!({"read": 0, "size_bytes": "2MiB"}), false).unwrap();
    io.prepare(&ProgressReporter::silent()).await.unwrap();
    load(&io, 100).await;
    prepared(&path, json!({})).await.unwrap();
    assert!(fs::read(&path).unwrap()[2 * MIB..] == before[2 * MIB..]);
}

#[tokio::test]
async fn one_that_was_used_for_something_else_is_not_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    created(&path).await;
    let file = File::options().write(true).open(&path).unwrap();
    file.write_all_at(&[7; 4096], MIB as u64).unwrap();
    let io = workload(&path, json!({}), false).unwrap();
    let error = io.cleanup().await.unwrap_err();
    assert!(
        error.text.contains("from byte 1048576 to 1052671"),
        "{error}"
    );
    assert!(path.exists());
    let error = prepared(&path, json!({"read": 0})).await.unwrap_err();
    assert!(error.text.contains("from byte 1048576"), "{error}");
}

#[tokio::test]
async fn what_is_written_inside_a_page_whose_sectors_are_stamped_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let verified = json!({"size_bytes": "2MiB", "read": 0, "verify": true});
    for (at, bytes) in [(512, 512), (3 * 512 + 100, 20)] {
        let path = folder.path().join(format!("data-{at}"));
        let io = workload(&path, verified.clone(), false).unwrap();
        io.prepare(&ProgressReporter::silent()).await.unwrap();
        load(&io, 100).await;
        drop(io);
        let file = File::options().write(true).open(&path).unwrap();
        file.write_all_at(&vec![7; bytes], (MIB + at) as u64)
            .unwrap();
        let before = fs::read(&path).unwrap();
        let page = "from byte 1048576 to 1052671";
        let io = workload(&path, json!({}), false).unwrap();
        let error = io.cleanup().await.unwrap_err();
        assert!(error.text.contains(page), "{error}");
        let error = prepared(&path, json!({"read": 0})).await.unwrap_err();
        assert!(error.text.contains(page), "{error}");
        // Few bytes of a write that its ledger knows are damage that the storage has done.
        let by_ledger = prepared(&path, verified.clone()).await;
        assert_eq!(by_ledger.is_err(), bytes == 512, "{by_ledger:?}");
        assert!(fs::read(&path).unwrap() == before);
    }
}

#[tokio::test]
async fn blocks_of_any_length_leave_it_igens() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    created(&path).await;
    for block in ["512", "4KiB", "1536", "64KiB", "12KiB", "1MiB", "8KiB"] {
        for verify in [false, true] {
            let params = json!({"read": 0, "block": block, "direct": "off", "verify": verify});
            let io = workload(&path, params, false).unwrap();
            io.prepare(&ProgressReporter::silent()).await.unwrap();
            load(&io, 60).await;
        }
    }
    let io = workload(&path, json!({}), false).unwrap();
    io.cleanup().await.unwrap();
    assert!(!path.exists());
}

#[tokio::test]
async fn a_link_that_is_flipped_after_the_look_leads_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let [link, ours, precious] = ["link", "ours", "precious"].map(|name| folder.path().join(name));
    created(&ours).await;
    fs::write(&precious, vec![7; 2 * MIB]).unwrap();
    let flip = |to: &Path| {
        let draft = folder.path().join("draft");
        symlink(to, &draft).unwrap();
        fs::rename(&draft, &link).unwrap();
    };
    for flipped_after in 0..3 {
        flip(&ours);
        let io = workload(&link, json!({"read": 0}), false).unwrap();
        for step in 0..3 {
            if step == flipped_after {
                flip(&precious);
            }
            match step {
                0 => io.prepare(&ProgressReporter::silent()).await.unwrap(),
                1 => io.verify(false).await.unwrap(),
                _ => load(&io, 200).await,
            }
        }
        assert!(
            fs::read(&precious).unwrap() == vec![7; 2 * MIB],
            "{flipped_after}"
        );
    }
    flip(&ours);
    let io = workload(&link, json!({}), false).unwrap();
    flip(&precious);
    let error = io.cleanup().await.unwrap_err();
    assert!(
        error.text.contains("another file has taken its place"),
        "{error}"
    );
    assert!(fs::read(&precious).unwrap() == vec![7; 2 * MIB]);
}

#[tokio::test]
async fn a_file_that_appears_where_one_is_to_be_created_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let [link, precious] = ["link", "precious"].map(|name| folder.path().join(name));
    fs::write(&precious, "a letter").unwrap();
    let io = workload(&link, json!({"read": 0, "size_bytes": "1MiB"}), false).unwrap();
    fs::hard_link(&precious, &link).unwrap();
    let error = io.prepare(&ProgressReporter::silent()).await.unwrap_err();
    assert_eq!(error.path, "targets[0]");
    assert_eq!(fs::read_to_string(&precious).unwrap(), "a letter");
}

#[tokio::test]
async fn what_has_the_name_under_which_a_file_is_removed_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let [path, letter] = [
        "data".to_owned(),
        format!("data.igen-removed-{}", process::id()),
    ]
    .map(|name| folder.path().join(name));
    created(&path).await;
    fs::write(&letter, "a letter").unwrap();
    let io = workload(&path, json!({}), false).unwrap();
    let error = io.cleanup().await.unwrap_err();
    assert_eq!(error.path, "targets[0]");
    assert_eq!(fs::read_to_string(&letter).unwrap(), "a letter");
    assert!(path.exists());
}

#[tokio::test]
async fn a_file_that_is_locked_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    created(&path).await;
    let other = File::open(&path).unwrap();
    other.lock().unwrap();
    for owned in [false, true] {
        let error = workload(&path, json!({"read": 0}), owned).err().unwrap();
        assert!(
            error.text.contains("in use: locked by another process"),
            "{error}"
        );
        // A load that only reads makes the file as long as it is told to be.
        let longer = json!({"read": 100, "size_bytes": "4MiB"});
        let io = workload(&path, longer, owned).unwrap();
        let error = io.prepare(&ProgressReporter::silent()).await.unwrap_err();
        assert!(
            error.text.contains("in use: locked by another process"),
            "{error}"
        );
        assert_eq!(fs::metadata(&path).unwrap().len(), 2 << 20);
        let io = workload(&path, json!({}), owned).unwrap();
        assert!(io.cleanup().await.is_err());
    }
    other.unlock().unwrap();
    let io = workload(&path, json!({"read": 0}), false).unwrap();
    assert!(other.try_lock().is_err(), "held while it is loaded");
    drop(io);
}

/// As root, where there are loop devices.
#[tokio::test]
async fn a_file_that_a_loop_device_shows_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    created(&path).await;
    let tool = |arguments: &[&str]| {
        let mut command = Command::new("losetup");
        let done = command
            .args(arguments)
            .env("PATH", "/usr/sbin:/sbin:/usr/bin:/bin")
            .output();
        done.ok().filter(|done| done.status.success())
    };
    let file = path.to_str().unwrap();
    let Some(done) = tool(&["--show", "--find", "--offset", "1048576", file]) else {
        eprintln!("skipped: no loop device");
        return;
    };
    let device = String::from_utf8(done.stdout).unwrap();
    let error = workload(&path, json!({"read": 0}), true).err();
    let cleaned = workload(&path, json!({}), true).unwrap().cleanup().await;
    tool(&["--detach", device.trim()]);
    for error in [error.unwrap(), cleaned.unwrap_err()] {
        let held = format!("in use: held by {}", device.trim());
        assert!(error.text.contains(&held), "{error}");
    }
    assert!(path.exists());
}

#[tokio::test]
async fn what_is_called_like_a_ledger_is_looked_at_before_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    created(&path).await;
    let ledger = folder.path().join("data.igen-ledger");
    let letter = "the household's ledger, kept by hand since 1911, of more than sixty-four bytes";
    fs::write(&ledger, letter).unwrap();
    let io = workload(&path, json!({"read": 0}), false).unwrap();
    let error = io.prepare(&ProgressReporter::silent()).await.unwrap_err();
    assert_eq!(error.path, "params.ledger");
    let error = workload(&path, json!({}), false)
        .unwrap()
        .cleanup()
        .await
        .unwrap_err();
    assert_eq!(error.path, "params.ledger");
    assert_eq!(fs::read_to_string(&ledger).unwrap(), letter);
}
