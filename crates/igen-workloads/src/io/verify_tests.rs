#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use igen_engine::{ProgressReporter, Workload};
use igen_job::JobError;
use serde_json::{Value, json};

use super::Io;
use super::tests::{load, workload};

const BLOCK: usize = 8192;

fn written(path: &Path, more: &Value) -> Io {
    let mut params = json!({"size_bytes": "1MiB", "read": 30, "verify": true});
    params
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    workload(path, params, false).unwrap()
}

async fn loaded(path: &Path, more: &Value) {
    let io = written(path, more);
    io.prepare(&ProgressReporter::silent()).await.unwrap();
    io.verify(false).await.unwrap();
    load(&io, 500).await;
    io.verify(true).await.unwrap();
    io.read_back(true, &ProgressReporter::silent())
        .await
        .unwrap();
    let found = finding(&io).await;
    assert_eq!(found["blocks"], 128);
    assert!(found["right"].as_u64().unwrap() > 100, "{found}");
    assert_eq!(found["unflushed"], 0);
    assert_eq!(found["faults"], json!({}));
}

async fn finding(io: &Io) -> Value {
    let mut facts = io.facts_after().await.into_iter();
    let found = facts.find(|fact| fact.name == "io.verified").unwrap();
    found.value[0].clone()
}

/// What `igen data verify` says.
async fn verified(path: &Path) -> (Value, Result<(), JobError>) {
    let io = workload(path, json!({}), false).unwrap();
    io.verify(false).await.unwrap();
    let result = io.read_back(false, &ProgressReporter::silent()).await;
    (finding(&io).await, result)
}

#[tokio::test]
async fn what_was_written_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    for more in [
        json!({}),
        json!({"depth": 16, "fsync_every": 2}),
        json!({"depth": 4, "pattern": "sequential", "fsync_every": 1}),
        json!({"depth": 8, "pattern": "zipf", "direct": "off", "compressible": 70}),
        json!({"read": 100}),
    ] {
        loaded(&path, &more).await;
        verified(&path).await.1.unwrap();
    }
    written(&path, &json!({})).cleanup().await.unwrap();
    assert_eq!(
        folder.path().read_dir().unwrap().count(),
        0,
        "the ledger is gone too"
    );
}

#[tokio::test]
async fn planted_faults_are_found_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    loaded(&path, &json!({"read": 0})).await;
    let before = std::fs::read(&path).unwrap();
    loaded(&path, &json!({"read": 0})).await;
    let after = std::fs::read(&path).unwrap();
    let mut changed = (0..128)
        .map(|block| block * BLOCK)
        .filter(|at| before[*at..at + BLOCK] != after[*at..at + BLOCK]);
    let mut place = || changed.next().unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    let plant = |bytes: &[u8], at: usize| file.write_all_at(bytes, at as u64).unwrap();

    let lost = place();
    plant(&before[lost..lost + BLOCK], lost);
    let torn = place();
    plant(&before[torn + 4096..torn + BLOCK], torn + 4096);
    let (one, other) = (place(), place());
    plant(&after[one..one + BLOCK], other);
    plant(&after[other..other + BLOCK], one);
    let flipped = place();
    plant(&[after[flipped + 5000] ^ 1], flipped + 5000);
    let foreign = place();
    plant(&[7; BLOCK], foreign);

    let (found, result) = verified(&path).await;
    for (kind, places) in [
        ("lost", vec![lost]),
        ("torn", vec![torn]),
        ("misplaced", vec![one, other]),
        ("corrupt", vec![flipped]),
        ("foreign", vec![foreign]),
    ] {
        let first = found["faults"][kind]["first"].as_array().unwrap();
        let told: Vec<_> = first
            .iter()
            .map(|place| place["offset_bytes"].clone())
            .collect();
        assert_eq!(json!(told), json!(places), "{kind}: {found}");
        assert_eq!(found["faults"][kind]["blocks"], places.len());
    }
    let error = result.unwrap_err();
    assert_eq!(error.path, "targets[0]");
    assert!(error.text.contains("data errors: 1 lost (byte "), "{error}");

    // Whoever reads such a block during a load hears of it at once.
    let io = written(&path, &json!({"read": 100}));
    let reasons = super::tests::failures(&io, 2000).await;
    for reason in [
        "read: a misplaced block",
        "read: an older block: a write was lost",
    ] {
        assert!(reasons.contains(reason), "{reasons:?}");
    }
}

#[tokio::test]
async fn what_a_ledger_tells_of_is_found_right_before_it_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let ledger = folder.path().join("data.igen-ledger");
    let anew = json!({"precondition": true});
    // Level after level: each has verified what it has written.
    for _ in 0..2 {
        loaded(&path, &anew).await;
    }
    let io = written(&path, &json!({"read": 0}));
    load(&io, 10).await;
    drop(io);
    let io = written(&path, &anew);
    let error = io.prepare(&ProgressReporter::silent()).await.unwrap_err();
    assert!(error.text.contains("would overwrite"), "{error}");
    assert!(error.hint.contains(ledger.to_str().unwrap()), "{error}");
    verified(&path).await.1.unwrap();
    loaded(&path, &anew).await;

    // Its volume is not mounted.
    std::fs::remove_file(&path).unwrap();
    let io = written(&path, &json!({}));
    let error = io.prepare(&ProgressReporter::silent()).await.unwrap_err();
    assert!(error.text.contains("it is gone"), "{error}");
    assert!(!path.exists() && ledger.exists());
    std::fs::remove_file(&ledger).unwrap();
    loaded(&path, &json!({})).await;
}

#[tokio::test]
async fn without_a_ledger_nothing_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    loaded(&path, &json!({})).await;
    // Who writes without a ledger makes it worthless.
    let io = workload(&path, json!({"read": 0}), false).unwrap();
    io.verify(false).await.unwrap();
    assert!(
        folder.path().join("data.igen-ledger").exists(),
        "nothing is written yet"
    );
    load(&io, 1).await;
    let io = workload(&path, json!({}), false).unwrap();
    let error = io
        .read_back(false, &ProgressReporter::silent())
        .await
        .unwrap_err();
    assert!(error.hint.contains("verify=true"), "{error}");
}

#[tokio::test]
async fn a_damaged_ledger_is_not_blamed_on_the_storage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let ledger = folder.path().join("data.igen-ledger");
    loaded(&path, &json!({})).await;
    let whole = std::fs::read(&ledger).unwrap();
    // Its head, then what was acknowledged of the fourth block: a high bit.
    let entry = 64 + 3 * 12 + 4;
    for (at, bit, words) in [
        (16, 1, "is not a whole ledger"),
        (24, 8, "is not a whole ledger"),
        (entry + 2, 64, "is damaged"),
    ] {
        let mut damaged = whole.clone();
        damaged[at] ^= bit;
        std::fs::write(&ledger, &damaged).unwrap();
        let io = workload(&path, json!({}), false).unwrap();
        let error = io
            .read_back(false, &ProgressReporter::silent())
            .await
            .unwrap_err();
        assert_eq!(error.path, "params.ledger", "{error}");
        assert!(error.text.contains(words), "{error}");
        assert!(!error.text.contains("data errors"), "{error}");
    }
    std::fs::write(&ledger, &whole).unwrap();
    verified(&path).await.1.unwrap();
}

#[tokio::test]
async fn a_sector_of_garbage_is_named_and_not_called_torn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    loaded(&path, &json!({"read": 0})).await;
    let file = File::options().write(true).open(&path).unwrap();
    let sector = (3 * BLOCK + 5 * 512) as u64;
    file.write_all_at(&[0xA5; 512], sector).unwrap();
    let (found, result) = verified(&path).await;
    assert_eq!(found["faults"]["foreign"]["blocks"], 1, "{found}");
    assert!(found["faults"]["torn"].is_null(), "{found}");
    let error = result.unwrap_err();
    assert!(
        error
            .text
            .contains(&format!("its sector at byte {sector} holds")),
        "{error}"
    );
}

#[tokio::test]
async fn what_the_storage_has_damaged_is_known_by_the_ledger_and_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    loaded(&path, &json!({"read": 0})).await;
    let mut bytes = std::fs::read(&path).unwrap();
    // A bit of the stamp of a page: without the ledger it is nobody's.
    bytes[5 * BLOCK + 9] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let io = written(&path, &json!({"read": 0}));
    io.prepare(&ProgressReporter::silent()).await.unwrap();
    drop(io);
    let io = workload(&path, json!({"read": 0}), false).unwrap();
    let error = io.prepare(&ProgressReporter::silent()).await.unwrap_err();
    let page = format!("from byte {} to {}", 5 * BLOCK, 5 * BLOCK + 4095);
    assert!(error.text.contains(&page), "{error}");
    // Somebody's data is not covered by it.
    bytes[6 * BLOCK..7 * BLOCK].fill(7);
    std::fs::write(&path, &bytes).unwrap();
    let error = written(&path, &json!({}))
        .prepare(&ProgressReporter::silent())
        .await
        .unwrap_err();
    assert!(
        error.text.contains(&format!("from byte {} to", 6 * BLOCK)),
        "{error}"
    );
}
