//! The agent as a process: jobs in, events out, exit codes, signals.
#![allow(clippy::unwrap_used, missing_docs)]

mod commands;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

fn agent(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_igen-agent"));
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn start(job: &Value) -> Child {
    let mut child = agent(&["run"]).spawn().unwrap();
    writeln!(child.stdin.as_mut().unwrap(), "{job}").unwrap();
    child
}

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = agent(arguments).spawn().unwrap();
    // An agent that rejects its arguments reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn lines_of(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap)
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args([name, &pid])
            .status()
            .unwrap()
            .success()
    );
}

fn events(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn noop(measure_s: f64) -> Value {
    json!({"workload": "noop", "load": {"closed": {"users": 1}},
           "phases": {"warmup_s": 0.05, "measure_s": measure_s, "interval_s": 0.1}, "monitors": []})
}

#[test]
fn a_job_says_hello_first_and_end_last() {
    let output = run(&["run"], &noop(0.3).to_string());
    assert_eq!(output.status.code(), Some(0));
    let events = events(&output);
    assert_eq!(events[0]["hello"]["job"]["workload"], "noop");
    assert_eq!(events.last().unwrap()["end"]["outcome"], "complete");
    let measured = events
        .iter()
        .filter(|event| event["snapshot"]["phase"] == "measure")
        .count();
    assert_eq!(measured, 3);
}

#[test]
fn bad_jobs_are_refused_with_path_and_exit_code_2() {
    for (job, path) in [
        (
            json!({"workload": "nope", "load": {"closed": {"users": 1}}}),
            "workload",
        ),
        (
            json!({"workload": "noop", "load": {"closed": {"users": 0}}}),
            "load.closed.users",
        ),
        (
            json!({"protocol": 99, "workload": "noop", "load": {"closed": {"users": 1}}}),
            "protocol",
        ),
        (
            json!({"workload": "noop", "load": {"closed": {"users": 1, "think_time_s": {"normal": 3}}}}),
            "load.closed.think_time_s",
        ),
        (
            json!({"workload": "noop", "load": {"closed": {"users": "many"}}}),
            "load.closed.users",
        ),
        (
            json!({"workload": "noop", "load": {"open": {"rate_per_s": -1}}}),
            "load.open.rate_per_s",
        ),
        (
            json!({"workload": "noop", "load": {"closed": {"users": 1}}, "phases": {"measure_s": -1}}),
            "phases.measure_s",
        ),
        (
            json!({"workload": "noop", "load": {"closed": {"users": 1}}, "params": {"x": 1}}),
            "params.x",
        ),
        (
            json!({"workload": "model", "load": {"closed": {"users": 1}},
                   "params": {"service_time": "5 parsecs"}}),
            "params.service_time",
        ),
        (
            json!({"workload": "noop", "load": {"closed": {"users": 1}}, "targets": ["sqlite:///x"]}),
            "targets[0]",
        ),
        (
            json!({"workload": "noop", "load": {"closed": {"users": 1}}, "monitors": ["nope"]}),
            "monitors",
        ),
    ] {
        for command in ["check", "run"] {
            let output = run(&[command], &job.to_string());
            assert_eq!(output.status.code(), Some(2), "{command} {job}");
            let events = events(&output);
            assert_eq!(
                events[0]["error"]["path"], path,
                "{command} {job}: {}",
                events[0]
            );
        }
    }
}

#[test]
fn what_is_no_job_at_all_is_refused() {
    for input in ["", "{", "[1]", "null"] {
        let output = run(&["run"], input);
        assert_eq!(output.status.code(), Some(2), "{input}");
        assert!(events(&output)[0]["error"]["text"].is_string());
    }
}

#[test]
fn lines_are_numbered_and_readings_say_of_which_host() {
    let mut job = noop(0.3);
    job["monitors"] = json!(["cpu", "memory"]);
    let events = events(&run(&["run"], &job.to_string()));
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["seq"], number, "{event}");
    }
    let host = &events[0]["hello"]["host"];
    assert!(host.as_str().is_some_and(|name| !name.is_empty()));
    let mut readings = events.iter().filter_map(|event| event.get("reading"));
    assert!(readings.clone().count() > 1);
    assert!(readings.all(|reading| reading["host"] == *host));
}

#[test]
fn check_prints_the_job_with_its_defaults() {
    let output = run(
        &["check"],
        r#"{"workload":"noop","load":{"closed":{"users":3}}}"#,
    );
    assert_eq!(output.status.code(), Some(0));
    let job: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(job["phases"]["measure_s"], 10.0);
    assert_eq!(job["placement"]["thread"]["pin"], false);
}

#[test]
fn an_interrupt_keeps_what_was_measured() {
    let mut child = start(&noop(60.0));
    let mut lines = lines_of(&mut child);
    assert!(lines.any(|line| line.contains(r#""snapshot":{"phase":"measure""#)));
    signal(&child, "-INT");
    let last: Value = serde_json::from_str(&lines.last().unwrap()).unwrap();
    assert_eq!(last["end"]["outcome"], "interrupted");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn signals_end_the_agent_whenever_they_come() {
    // Before there is a job.
    let mut waiting = agent(&["run"]).spawn().unwrap();
    signal(&waiting, "-TERM");
    assert_ne!(waiting.wait().unwrap().code(), Some(0));
    // A second one while it drains: transactions of this model take a minute.
    let mut job = noop(60.0);
    job["workload"] = json!("model");
    job["params"] = json!({"service_time": "60s", "service": "deterministic"});
    let mut child = start(&job);
    let mut lines = lines_of(&mut child);
    assert!(lines.any(|line| line.contains(r#""snapshot":{"phase":"measure""#)));
    signal(&child, "-TERM");
    signal(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn events_that_cannot_be_written_are_an_error() {
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut child = agent(&["run"]).stdout(full).spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{}", noop(0.1)).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("No space left"));
}

#[test]
fn an_interrupted_load_of_a_database_leaves_nothing() {
    let interrupt = |child: &mut Child| signal(child, "-INT");
    let leave = |child: &mut Child| drop(child.stdin.take());
    for end in [&interrupt as &dyn Fn(&mut Child), &leave] {
        let folder = tempfile::tempdir().unwrap();
        let mut job = noop(1.0);
        job["workload"] = json!("oltp");
        job["params"] = json!({"customers": 1_000_000});
        job["attended"] = json!(true);
        let mut child = agent(&["run"]).current_dir(folder.path()).spawn().unwrap();
        writeln!(child.stdin.as_mut().unwrap(), "{job}").unwrap();
        let mut lines = lines_of(&mut child);
        assert!(lines.any(|line| line.contains("progress")));
        end(&mut child);
        assert!(lines.last().unwrap().contains("interrupted"));
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_job() {
    let mut child = start(&noop(60.0));
    let mut lines = lines_of(&mut child);
    assert!(lines.any(|line| line.contains("snapshot")));
    drop(lines);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// Those that can only load a directory server are tried on one elsewhere.
#[test]
fn every_workload_that_needs_no_server_runs() {
    let folder = tempfile::tempdir().unwrap();
    let listed: Value = serde_json::from_slice(&run(&["list"], "").stdout).unwrap();
    let listed = listed.as_array().unwrap();
    let needs_server = |workload: &&Value| {
        let scheme = workload["targets"][0].as_str();
        scheme.is_some_and(|scheme| ["ldap", "http"].contains(&scheme))
    };
    for workload in listed.iter().filter(|workload| !needs_server(workload)) {
        let name = workload["name"].as_str().unwrap();
        // Small work where the default is large.
        let params = match name {
            "command" => json!({"run": "true"}),
            "ram" => json!({"bytes_per_user": "4MiB"}),
            "mem" => json!({"size_bytes": "64KiB"}),
            "io" => json!({"size_bytes": "1MiB"}),
            "oltp" => json!({"customers": 1000}),
            "scan" => json!({"size_bytes": "1MB"}),
            _ => json!({}),
        };
        let targets = match name {
            "io" => json!([format!("file://{}/io.data", folder.path().display())]),
            // Its default needs a library that may not be there.
            "scan" => json!(["sqlite:///scan.sqlite"]),
            _ => json!([]),
        };
        let job = json!({"workload": name, "params": params, "load": {"closed": {"users": 2}},
                         "targets": targets, "phases": {"warmup_s": 0.1, "measure_s": 0.5}, "canary_s": 0.01,
                         "steps": ["prepare", "verify", "measure", "cleanup"]});
        let mut child = agent(&["run"]).current_dir(folder.path()).spawn().unwrap();
        writeln!(child.stdin.take().unwrap(), "{job}").unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(0),
            "{name}: {:?}",
            events(&output).last()
        );
        let snapshots = events(&output);
        let counts = snapshots
            .iter()
            .filter_map(|e| e["snapshot"]["transactions"]["count"].as_u64());
        assert!(counts.sum::<u64>() > 0, "{name}");
    }
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        0,
        "cleanup leaves nothing"
    );
}

#[test]
fn schemas_and_lists_are_json() {
    for arguments in [
        &["schema", "job"][..],
        &["schema", "event"],
        &["schema", "command"],
        &["schema", "model"],
        &["list", "workloads"],
        &["list", "monitors"],
        &["list", "facts"],
    ] {
        let output = run(arguments, "");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap();
    }
    assert_eq!(run(&["schema", "nope"], "").status.code(), Some(2));
}

#[test]
fn facts_are_events() {
    let facts = events(&run(&["facts"], ""));
    assert!(
        facts
            .iter()
            .any(|event| event["fact"]["name"] == "kernel.release"),
        "{facts:?}"
    );
}

#[test]
fn rates_name_counters_and_operations_that_exist() {
    for entry in igen_workloads::workloads::WORKLOADS {
        for rate in entry.rates {
            assert!(
                entry.counters.contains(&rate.counter),
                "{}: {rate:?}",
                entry.name
            );
            assert!(
                rate.operations
                    .iter()
                    .all(|name| entry.operations.contains(name))
            );
        }
    }
}
