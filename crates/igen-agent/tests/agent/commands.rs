//! What the agent hears while its job runs: commands, a lease, the end of standard input.

use std::io::Write;

use serde_json::{Value, json};

use crate::{events, lines_of, noop, run, start};

#[test]
fn what_is_no_command_is_answered_and_stop_is_still_heard() {
    let mut child = start(&noop(60.0));
    let mut lines = lines_of(&mut child);
    assert!(lines.any(|line| line.contains(r#""snapshot""#)));
    let wrong: [&[u8]; 9] = [
        b"5",
        b"null",
        b"\"dance\"",
        b"{\"extend\": {}}",
        b"{ garbage",
        b"[1",
        b"\xff\x1b[2J",
        &[b'x'; 10_000],
        b"{\"begin\": \"now\"}",
    ];
    let stdin = child.stdin.as_mut().unwrap();
    for line in wrong {
        stdin.write_all(line).unwrap();
        stdin.write_all(b"\n").unwrap();
    }
    stdin.write_all(b"\"stop\"\n").unwrap();
    let said: Vec<Value> = lines
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect();
    let errors: Vec<_> = said.iter().filter_map(|event| event.get("error")).collect();
    assert_eq!(errors.len(), wrong.len(), "{errors:?}");
    for error in errors {
        assert_eq!(error["path"], "command");
        let text = error["text"].as_str().unwrap();
        assert!(text.len() < 400 && !text.contains('\x1b'), "{text}");
    }
    assert_eq!(said.last().unwrap()["end"]["outcome"], "interrupted");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn the_end_of_standard_input_ends_an_attended_job_and_no_other() {
    let unattended = run(&["run"], &noop(0.3).to_string());
    assert_eq!(unattended.status.code(), Some(0));
    for phase in ["ramp", "warmup", "measure"] {
        let mut job = noop(0.05);
        job["attended"] = json!(true);
        job["phases"][format!("{phase}_s")] = json!(3600);
        let mut child = start(&job);
        let mut lines = lines_of(&mut child);
        let begun = format!(r#""phase":"{phase}""#);
        assert!(lines.any(|line| line.contains(&begun)));
        drop(child.stdin.take());
        let said: Vec<Value> = lines
            .map(|line| serde_json::from_str(&line).unwrap())
            .collect();
        let error = said.iter().find_map(|event| event.get("error")).unwrap();
        assert!(
            error["text"]
                .as_str()
                .unwrap()
                .contains("standard input closed")
        );
        assert_eq!(
            said.last().unwrap()["end"]["outcome"],
            "interrupted",
            "{phase}"
        );
        assert_eq!(child.wait().unwrap().code(), Some(130), "{phase}");
    }
}

#[test]
fn a_lease_that_nobody_renews_ends_the_job() {
    let mut job = noop(600.0);
    job["lease_s"] = json!(3);
    let mut child = start(&job);
    let mut lines = lines_of(&mut child);
    let renewed_until_s = lines.by_ref().find_map(|line| {
        writeln!(child.stdin.as_mut().unwrap(), "\"renew\"").unwrap();
        let event: Value = serde_json::from_str(&line).unwrap();
        event["snapshot"]["end_s"]
            .as_f64()
            .filter(|end_s| *end_s > 4.0)
    });
    let said: Vec<Value> = lines
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect();
    let error = said.iter().find_map(|event| event.get("error")).unwrap();
    assert_eq!(error["path"], "lease_s");
    let end = &said.last().unwrap()["end"];
    assert_eq!(end["outcome"], "interrupted");
    assert!(end["at_s"].as_f64() >= renewed_until_s.map(|it| it + 2.9));
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_renewal_that_comes_too_late_is_no_end_of_standard_input() {
    let mut job = noop(600.0);
    job["workload"] = json!("model");
    job["params"] = json!({"service_time": "60s", "service": "deterministic"});
    job["attended"] = json!(true);
    job["lease_s"] = json!(1);
    // Longer than a busy machine keeps this process waiting.
    job["phases"]["drain_s"] = json!(5);
    let mut child = start(&job);
    let mut errors = Vec::new();
    for line in lines_of(&mut child) {
        let event: Value = serde_json::from_str(&line).unwrap();
        if let Some(error) = event.get("error") {
            errors.push(error["path"].clone());
            // The transaction goes on, until DRAIN is over.
            writeln!(child.stdin.as_mut().unwrap(), "\"renew\"").unwrap();
        }
    }
    assert_eq!(errors, ["lease_s"]);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn agents_begin_together_at_the_moment_that_they_are_told() {
    let mut job = noop(0.3);
    job["attended"] = json!(true);
    job["phases"]["await_begin"] = json!(true);
    job["load"]["closed"]["users"] = json!(4);
    let mut agents: Vec<_> = (0..2)
        .map(|index| {
            job["share"] = json!({"index": index, "of": 2});
            let mut child = start(&job);
            let mut lines = lines_of(&mut child);
            let hello: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
            assert!(lines.any(|line| line.contains(r#"{"ready":"#)));
            (
                child,
                lines,
                hello["hello"]["started_unix_s"].as_f64().unwrap(),
            )
        })
        .collect();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let begin_unix_s = now.unwrap().as_secs_f64() + 1.0;
    for (child, _, _) in &mut agents {
        let begin = json!({"begin": {"at_unix_s": begin_unix_s}});
        writeln!(child.stdin.as_mut().unwrap(), "{begin}").unwrap();
    }
    for (mut child, lines, started_unix_s) in agents {
        let snapshots: Vec<Value> = lines
            .map(|line| serde_json::from_str(&line).unwrap())
            .filter(|event: &Value| event.get("snapshot").is_some())
            .collect();
        let first_s = snapshots[0]["snapshot"]["start_s"].as_f64().unwrap();
        assert!((started_unix_s + first_s - begin_unix_s).abs() < 0.5);
        assert_eq!(snapshots[0]["snapshot"]["users"], 2);
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn the_end_of_measure_waits_for_the_judge() {
    let mut job = noop(0.2);
    job["phases"]["extendable"] = json!(true);
    let mut child = start(&job);
    let mut lines = lines_of(&mut child);
    assert!(lines.any(|line| line.contains("measured")));
    let stdin = child.stdin.as_mut().unwrap();
    writeln!(stdin, "{}", json!({"extend": {"measure_s": 0.3}})).unwrap();
    let measured = lines.by_ref().take_while(|line| !line.contains("measured"));
    assert_eq!(measured.filter(|line| line.contains("snapshot")).count(), 3);
    writeln!(stdin, "\"finish\"").unwrap();
    assert!(lines.last().unwrap().contains("complete"));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn without_a_judge_the_end_of_measure_is_the_end() {
    let mut job = noop(0.2);
    job["phases"]["extendable"] = json!(true);
    let output = run(&["run"], &job.to_string());
    assert_eq!(output.status.code(), Some(0));
    let said = events(&output);
    assert!(said.iter().any(|event| event.get("measured").is_some()));
    let warning = said.iter().find_map(|event| event.get("warning"));
    assert!(warning.is_none(), "{warning:?}");
}
