#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::fs;
use std::io::Error;
use std::path::Path;

use igen_engine::{ProgressReporter, Recorder, Setup, User, UserContext, Workload};
use igen_job::JobError;
use igen_storage::Engine;
use rustix::io::Errno;
use serde_json::{Value, json};

use super::{Io, is_for_want_of_room, without_io_uring};

pub(super) fn workload(path: &Path, params: Value, owned: bool) -> Result<Io, JobError> {
    let setup = Setup {
        targets: vec![format!("file://{}", path.display())],
        users: 2,
        own_users: 2,
        agent_users: 2,
        stream: true,
        rest_s: 0.0,
        seed: 42,
        force: false,
        i_own_this_data: owned,
        credentials: igen_job::Credentials::Own,
    };
    Io::new(serde_json::from_value(params).unwrap(), setup)
}

pub(super) async fn load(io: &Io, transactions: u32) {
    let mut recorder = Recorder::detached(Io::OPERATIONS.len(), Io::COUNTERS.len()).unwrap();
    for id in 0..2 {
        let context = UserContext {
            id,
            seed: id.into(),
            target: 0,
        };
        let mut user = io.user(context).await.unwrap();
        for _ in 0..transactions {
            user.transaction(&mut recorder).await.unwrap();
        }
    }
}

/// Why transactions of one user fail.
pub(super) async fn failures(io: &Io, transactions: u32) -> HashSet<String> {
    let mut recorder = Recorder::detached(Io::OPERATIONS.len(), Io::COUNTERS.len()).unwrap();
    let context = UserContext {
        id: 0,
        seed: 0,
        target: 0,
    };
    let mut user = io.user(context).await.unwrap();
    let mut reasons = HashSet::new();
    for _ in 0..transactions {
        if let Err(failure) = user.transaction(&mut recorder).await {
            reasons.insert(failure.reason.to_string());
        }
    }
    reasons
}

#[tokio::test]
async fn a_file_that_the_disk_has_no_room_for_is_refused_before_a_byte_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let io = workload(&path, json!({"size_bytes": "1000TiB"}), false).unwrap();
    let error = io.prepare(&ProgressReporter::silent()).await.unwrap_err();
    assert_eq!(error.path, "targets[0]");
    assert!(!error.hint.is_empty());
    assert!(!path.exists());
    // Of a file that is there only what it lacks is needed.
    let small = workload(&path, json!({"size_bytes": "2MiB"}), false).unwrap();
    small.prepare(&ProgressReporter::silent()).await.unwrap();
    let grown = workload(&path, json!({"size_bytes": "1000TiB"}), false).unwrap();
    assert!(grown.prepare(&ProgressReporter::silent()).await.is_err());
    assert_eq!(fs::metadata(&path).unwrap().len(), 2 << 20);
}

#[tokio::test]
async fn what_was_being_written_when_somebody_gave_up_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let silent = ProgressReporter::silent();
    for (before, after) in [(None, None), (Some("2MiB"), Some(2 << 20))] {
        if let Some(size) = before {
            let small = workload(&path, json!({"size_bytes": size}), false).unwrap();
            small.prepare(&silent).await.unwrap();
        }
        let io = workload(&path, json!({"size_bytes": "64MiB"}), false).unwrap();
        {
            let mut prepare = Box::pin(io.prepare(&silent));
            // It yields after each part.
            while path.metadata().map_or(0, |file| file.len()) <= 4 << 20 {
                assert!(polled_once(&mut prepare).await.is_none(), "too fast");
            }
        }
        assert_eq!(path.metadata().ok().map(|file| file.len()), after);
    }
}

/// Polls a future once.
async fn polled_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    std::future::poll_fn(|context| {
        let polled = std::pin::Pin::new(&mut *future).poll(context);
        std::task::Poll::Ready(match polled {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        })
    })
    .await
}

#[tokio::test]
async fn a_file_is_created_loaded_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    for params in [
        json!({"size_bytes": "2MiB", "read": 50, "depth": 8}),
        json!({"size_bytes": "2MiB", "read": 100, "direct": "off", "cache": "warm"}),
        json!({"size_bytes": "3MiB", "read": 0, "fsync_every": 3, "block": "4KiB"}),
        json!({"size_bytes": "2MiB", "read": 50, "depth": 4, "fsync_every": 2, "pattern": "sequential"}),
    ] {
        let io = workload(&path, params, false).unwrap();
        io.prepare(&ProgressReporter::silent()).await.unwrap();
        io.verify(false).await.unwrap();
        load(&io, 500).await;
        io.verify(true).await.unwrap();
    }
    // Grown when more was asked for, never cut.
    assert_eq!(fs::metadata(&path).unwrap().len(), 3 << 20);
    let io = workload(&path, json!({}), false).unwrap();
    io.cleanup().await.unwrap();
    assert!(!path.exists());
}

#[tokio::test]
async fn a_file_of_others_is_read_but_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("precious");
    fs::write(&path, vec![7; 1 << 20]).unwrap();
    for params in [json!({"read": 99}), json!({"precondition": true})] {
        let error = workload(&path, params, false).err().unwrap();
        assert_eq!(error.path, "targets[0]");
        assert!(error.hint.contains("--i-own-this-data"), "{error}");
    }
    let io = workload(&path, json!({}), false).unwrap();
    io.prepare(&ProgressReporter::silent()).await.unwrap();
    io.verify(false).await.unwrap();
    load(&io, 100).await;
    io.cleanup().await.unwrap();
    assert!(fs::read(&path).unwrap() == vec![7; 1 << 20]);

    let io = workload(&path, json!({"read": 0}), true).unwrap();
    load(&io, 100).await;
    io.cleanup().await.unwrap();
    assert!(path.exists(), "not ours to remove");
}

#[tokio::test]
async fn a_file_of_others_stays_theirs_however_it_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("precious");
    fs::write(&path, vec![7; 1 << 20]).unwrap();
    for params in [
        json!({"read": 0, "pattern": "sequential"}),
        json!({"read": 0, "pattern": "sequential", "verify": true}),
        json!({"read": 100, "precondition": true}),
    ] {
        let verify = params["verify"] == true;
        let io = workload(&path, params, true).unwrap();
        io.prepare(&ProgressReporter::silent()).await.unwrap();
        load(&io, 200).await;
        if verify {
            io.read_back(true, &ProgressReporter::silent())
                .await
                .unwrap();
        }
        assert!(fs::read(&path).unwrap().starts_with(b"iGenIO1\n"));
        io.cleanup().await.unwrap();
        assert!(path.exists());
        let error = workload(&path, json!({"read": 0}), false).err().unwrap();
        assert!(error.hint.contains("--i-own-this-data"), "{error}");
    }
}

#[tokio::test]
async fn a_file_that_is_only_read_does_not_grow() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("precious");
    fs::write(&path, vec![7; 1 << 20]).unwrap();
    let io = workload(&path, json!({"size_bytes": "2MiB"}), true).unwrap();
    io.prepare(&ProgressReporter::silent()).await.unwrap();
    assert_eq!(fs::metadata(&path).unwrap().len(), 1 << 20);
    let error = io.verify(false).await.unwrap_err();
    assert_eq!(error.path, "params.size_bytes");
}

#[test]
fn more_memory_than_there_is_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let params = json!({"depth": 32_768, "block": "64MiB"});
    let error = workload(&folder.path().join("f"), params, false).err();
    let error = error.unwrap();
    assert_eq!(error.path, "params.depth");
    assert!(error.text.contains("2 × 2097152 MiB"), "{error}");
}

#[test]
fn hints_fit_what_is_wrong() {
    for (errno, want_of_room) in [
        (Errno::NOSPC, true),
        (Errno::DQUOT, true),
        (Errno::FBIG, true),
        (Errno::IO, false),
        (Errno::ROFS, false),
    ] {
        let error = Error::from(errno);
        assert_eq!(is_for_want_of_room(&error), want_of_room, "{error}");
    }
    for (engine, errno, words, other) in [
        (
            Engine::IoUring,
            Errno::PERM,
            "io_uring_disabled=0",
            "depth=1",
        ),
        (Engine::Auto, Errno::PERM, "io_uring_disabled=0", "psync"),
        (Engine::IoUring, Errno::NOMEM, "ulimit -l", "sysctl"),
        (Engine::IoUring, Errno::NOSYS, "engine=psync", "sysctl"),
        (Engine::Auto, Errno::INVAL, "depth=1", "sysctl"),
    ] {
        let hint = without_io_uring(engine, Error::from(errno).kind());
        assert!(hint.contains(words) && !hint.contains(other), "{hint}");
    }
}

#[tokio::test]
async fn what_does_not_fit_is_said_before_the_load() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small");
    fs::write(&path, vec![7; 1 << 20]).unwrap();
    let io = workload(&path, json!({"size_bytes": "2MiB"}), false).unwrap();
    let error = io.verify(false).await.unwrap_err();
    assert_eq!(error.path, "params.size_bytes");
    let absent = workload(&folder.path().join("absent"), json!({}), false).unwrap();
    let error = absent.verify(false).await.unwrap_err();
    assert!(error.hint.contains("igen data prepare io"), "{error}");
    for nowhere in ["no/such/folder/f", "."] {
        let error = workload(&folder.path().join(nowhere), json!({}), false).err();
        assert_eq!(error.unwrap().path, "targets[0]");
    }
}
