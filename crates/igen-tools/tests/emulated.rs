//! What each tool says on an emulated 64-bit ARM processor (`checks/aarch64`).
#![cfg(target_arch = "aarch64")]
#![allow(clippy::unwrap_used)]

use std::io;
use std::sync::atomic::AtomicBool;

use igen_job::JobError;
use igen_job::tool::Verdict;
use igen_tools::{Emit, list};

fn said(name: &str, words: &[&str]) -> Result<Verdict, JobError> {
    let entry = igen_tools::find(name).unwrap();
    let matches = entry
        .command()
        .no_binary_name(true)
        .try_get_matches_from(words)
        .unwrap();
    let mut write = |line| {
        println!("{line:?}");
        io::Result::Ok(())
    };
    entry.run(
        &matches,
        &mut Emit::new(&mut write, &AtomicBool::new(false)),
    )
}

#[test]
fn each_tool_works_or_says_what_it_cannot_see() {
    let own = std::process::id().to_string();
    let program = std::env::current_exe().unwrap();
    let program = program.to_str().unwrap();
    let runs: &[(&str, &[&str], Option<&str>)] = &[
        ("pages", &[], None),
        ("shmalloc", &["1MiB", "--hold", "10ms"], None),
        ("compiler", &[program], None),
        ("audit", &["10ms"], Some("cannot watch processes")),
        ("tunables", &[], None),
        ("ripc", &["10ms"], Some("cannot count any event")),
        (
            "pfp",
            &["10ms", "--pid", &own, "--apart"],
            Some("cannot decode the instructions of this processor"),
        ),
        (
            "schedule",
            &["--run", "true", "--way", "batch", "--rounds", "1"],
            None,
        ),
    ];
    let names: Vec<&str> = runs.iter().map(|(name, ..)| *name).collect();
    let all: Vec<&str> = list().iter().map(|entry| entry.name).collect();
    assert_eq!(names, all);
    for (name, words, refusal) in runs {
        match (said(name, words), refusal) {
            (Ok(_), None) => {}
            (Err(error), Some(text)) => {
                assert!(error.text.starts_with(text), "{name}: {}", error.text);
                assert!(!error.hint.is_empty(), "{name}: {}", error.text);
            }
            (Ok(verdict), Some(_)) => panic!("{name} says {}", verdict.text),
            (Err(error), None) => panic!("{name}: {}", error.text),
        }
    }
}
