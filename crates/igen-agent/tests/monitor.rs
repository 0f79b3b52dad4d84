//! `igen-agent monitor` as a process: readings out, the clock on question, and its end.
#![allow(clippy::unwrap_used, missing_docs)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

fn monitor(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_igen-agent"))
        .arg("monitor")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Its lines, as they come.
fn lines_of(child: &mut Child) -> impl Iterator<Item = Value> + use<> {
    BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let output = monitor(arguments).wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

#[test]
fn it_reads_what_is_named_until_its_input_ends_and_says_what_that_cost() {
    let mut child = monitor(&["cpu", "process", "--interval", "20ms"]);
    let mut lines = lines_of(&mut child);
    let begin = lines.next().unwrap();
    assert!(begin["begin"]["started_unix_s"].as_f64().unwrap() > 1.7e9);
    let read: Vec<Value> = lines
        .by_ref()
        .filter(|line| line["reading"]["subject"] == "agent")
        .take(3)
        .collect();
    let at: Vec<f64> = read
        .iter()
        .map(|line| line["reading"]["at_s"].as_f64().unwrap())
        .collect();
    assert!(at.is_sorted() && at[2] > at[0], "{at:?}");
    drop(child.stdin.take());
    let rest: Vec<Value> = lines.collect();
    let monitors: Vec<&str> = read
        .iter()
        .chain(&rest)
        .filter_map(|line| line["reading"]["monitor"].as_str())
        .collect();
    assert!(
        monitors
            .iter()
            .all(|name| ["cpu", "process"].contains(name))
    );
    let cost = &rest.last().unwrap()["end"];
    assert!(cost["processor_s"].as_f64().unwrap() > 0.0, "{cost}");
    assert!(child.wait().unwrap().success());
}

#[test]
fn its_clock_is_asked_with_a_number() {
    let mut child = monitor(&["memory", "--interval", "1h"]);
    let mut lines = lines_of(&mut child);
    let input = child.stdin.as_mut().unwrap();
    input
        .write_all(b"{\"clock\": 7}\nwhat?\n{\"clock\": 8}\n")
        .unwrap();
    let mut answers = lines.by_ref().filter(|line| line.get("clock").is_some());
    let (first, second) = (answers.next().unwrap(), answers.next().unwrap());
    assert_eq!(
        (&first["clock"]["id"], &second["clock"]["id"]),
        (&7.into(), &8.into())
    );
    assert!(second["clock"]["at_s"].as_f64() >= first["clock"]["at_s"].as_f64());
    drop(child.stdin.take());
    assert!(lines.any(|line| line.get("end").is_some()));
    assert!(child.wait().unwrap().success());
}

#[test]
fn tiers_are_told_apart_there() {
    let mut server = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    let own = format!(
        r#"{{"name": "all", "match": {{"pids": [{}]}}, "processors": 2}}"#,
        server.id()
    );
    let mut child = monitor(&["tier", "--interval", "1h", "--tier", &own]);
    let said: Vec<Value> = lines_of(&mut child).take(6).collect();
    assert!(said[0].get("begin").is_some(), "it is the first line");
    let facts = said
        .iter()
        .filter(|line| line["fact"]["name"] == "tier.all.processors");
    assert_eq!(facts.count(), 1);
    let reading = said
        .iter()
        .find(|line| line["reading"]["subject"] == "all")
        .unwrap();
    assert_eq!(reading["reading"]["gauges"]["capacity_processors"], 2.0);
    drop(child.stdin.take());
    child.wait().unwrap();
    drop(server.stdin.take());
    server.wait().unwrap();
}

#[test]
fn a_signal_ends_it_as_its_input_does() {
    let mut child = monitor(&["cpu"]);
    let mut lines = lines_of(&mut child);
    lines.find(|line| line.get("reading").is_some()).unwrap();
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &pid])
            .status()
            .unwrap()
            .success()
    );
    assert!(lines.last().unwrap().get("end").is_some());
    assert!(child.wait().unwrap().success());
}

#[test]
fn nobody_asks_and_it_ends_also_where_nobody_takes_its_lines() {
    // A pipe is full after 64 KiB: it waits to be read, as behind a network that was cut.
    let mut child = monitor(&["--interval", "10ms", "--lease", "300ms"]);
    // Waiting for a child would close it.
    let input = child.stdin.take();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    drop(input);
    let mut said = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert!(!said.contains("\"end\""));
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (arguments, word) in [
        (vec!["cpus"], "unknown monitor `cpus`"),
        (vec!["--interval", "0s"], "out of range"),
        (vec!["--interval", "soon"], "soon"),
        (vec!["--lease", "0s"], "out of range"),
        (vec!["--tier", "{}"], "name"),
        (
            vec![
                "--tier",
                r#"{"name": "a", "match": {"pids": [4294967295]}}"#,
            ],
            "4294967295",
        ),
        (
            vec!["cpu", "--tier", r#"{"name": "a", "match": {"pids": [1]}}"#],
            "add `tier`",
        ),
    ] {
        let (code, said) = refused(&arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        assert!(said.contains(word), "{arguments:?}: {said}");
    }
}
