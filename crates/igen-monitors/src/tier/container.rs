//! The control group of a container, as the program that runs it says.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::fault::Fault;

/// Asked in this order; the first that knows the container counts.
const PROGRAMS: [&str; 2] = ["docker", "podman"];
const LONGEST: Duration = Duration::from_secs(10);
const SHORTEST_ID: usize = 12;

/// The path of its control group.
pub(super) fn group_of(name: &str) -> Result<String, Fault> {
    let mut said = Vec::new();
    for program in PROGRAMS {
        match ask(program, name) {
            Ok(answer) => return group_in(&answer, name, |path| fs::read_to_string(path).ok()),
            Err(why) => said.push(format!("{program}: {why}")),
        }
    }
    let hint = "use a name that `docker ps` or `podman ps` prints, or use `cgroup` or `pids`";
    Err((
        format!("cannot find the container `{name}` ({})", said.join("; ")),
        hint.to_owned(),
    ))
}

/// Its id and the id of its first process, or why not.
fn ask(program: &str, name: &str) -> Result<String, String> {
    let mut command = Command::new(program);
    command.args([
        "inspect",
        "--type",
        "container",
        "--format",
        "{{.Id}} {{.State.Pid}}",
        name,
    ]);
    let asked = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let asked = asked.map_err(|error| error.to_string())?;
    let (send, answers) = mpsc::channel();
    // What does not answer is left behind: it ends when the agent does not listen any more.
    thread::spawn(move || send.send(asked.wait_with_output()));
    let answer = answers
        .recv_timeout(LONGEST)
        .map_err(|_| format!("no answer within {} s", LONGEST.as_secs()))?;
    said(&answer.map_err(|error| error.to_string())?)
}

fn said(answer: &Output) -> Result<String, String> {
    if answer.status.success() {
        return Ok(String::from_utf8_lossy(&answer.stdout).into_owned());
    }
    let text = String::from_utf8_lossy(&answer.stderr);
    let first = text.lines().find(|line| !line.trim().is_empty());
    Err(first.unwrap_or("the command failed").trim().to_owned())
}

/// The group of the first process, whose path holds the id of the container.
fn group_in(
    answer: &str,
    name: &str,
    read: impl Fn(&str) -> Option<String>,
) -> Result<String, Fault> {
    let mut words = answer.split_ascii_whitespace();
    let id = words.next().unwrap_or_default();
    let pid: u32 = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    let short = id.get(..SHORTEST_ID).ok_or_else(|| {
        let hint = "use `cgroup` or `pids` instead";
        (format!("the container `{name}` has no id"), hint.to_owned())
    })?;
    if pid == 0 {
        let hint = format!("start it with `docker start {name}`");
        return Err((format!("the container `{name}` is not running"), hint));
    }
    let groups = read(&format!("/proc/{pid}/cgroup")).unwrap_or_default();
    let paths = groups.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    let mut of_it = paths.filter(|path| path.contains(short));
    let found = of_it.next().map(str::to_owned);
    found.ok_or_else(|| {
        let hint = "use `pids` instead: the container may run on another machine, or share a control group";
        (
            format!("process {pid} is not in a control group of the container `{name}`"),
            hint.to_owned(),
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const ID: &str = "4c01db0b339c8f6dd7a2b0fca3f6d9e2";

    fn found(answer: &str, groups: &str) -> Result<String, Fault> {
        group_in(answer, "web", |path| {
            assert_eq!(path, "/proc/41/cgroup");
            Some(groups.to_owned())
        })
    }

    #[test]
    fn the_group_whose_path_holds_the_id() {
        let scope = format!("/system.slice/docker-{ID}.scope");
        let group = found(&format!("{ID} 41\n"), &format!("0::{scope}\n"));
        assert_eq!(group.unwrap(), scope);
        let legacy = format!("9:name=systemd:/user\n4:cpu,cpuacct:/docker/{ID}\n0::/\n");
        assert_eq!(
            found(&format!("{ID} 41"), &legacy).unwrap(),
            format!("/docker/{ID}")
        );
    }

    #[test]
    fn what_is_missing_is_told() {
        for (answer, word) in [
            ("", "no id"),
            ("4c01db0b339c8f 0\n", "is not running"),
            ("4c01db0b339c8f 41\n", "process 41"),
        ] {
            let (text, hint) = found(answer, "0::/elsewhere\n").unwrap_err();
            assert!(text.contains(word) && !hint.is_empty(), "{text}");
        }
    }

    #[test]
    fn a_program_that_is_not_there_says_so() {
        assert!(ask("no-such-program-of-containers", "web").is_err());
    }
}
