//! One execution of a program: start, wait, and kill what must not go on.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::time::Duration;

use igen_engine::timer::Timer;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use tokio::io::unix::AsyncFd;
use wait4::{ResUse, Wait4};

use super::output::Drain;
use super::standard_error::StandardError;

/// A program that is told to end has so long to remove what it must not leave behind.
pub(super) const GRACE: Duration = Duration::from_millis(500);

/// How an execution ended.
#[derive(Debug)]
pub(super) enum Outcome {
    /// By itself.
    Ended(ResUse),
    /// It was killed at the end of its time.
    TimedOut,
    /// It was killed because the load ended.
    Stopped,
}

/// Starts `command` and waits for its end, for at most `limit` or until the load of `timer` ends: then its whole
/// process group is told to end, and killed.
pub(super) async fn execute(
    command: &mut Command,
    errors: &mut StandardError,
    drain: &Drain,
    timer: &Timer,
    limit: Duration,
) -> io::Result<Outcome> {
    errors.clear();
    drain.empty();
    let running = Running::start(command)?;
    let outcome = tokio::select! {
        biased;
        ended = running.ended() => {
            ended?;
            return running.reap().map(Outcome::Ended);
        }
        never = errors.follow() => match never {},
        error = drain.follow() => return Err(error),
        () = timer.stopped() => Outcome::Stopped,
        () = tokio::time::sleep(limit) => Outcome::TimedOut,
    };
    running.signal(Signal::TERM);
    let _ = tokio::time::timeout(GRACE, running.ended()).await;
    Ok(outcome)
}

/// A process that has not been waited for; when it is dropped, its group is killed.
struct Running {
    child: Child,
    group: Pid,
    exit: AsyncFd<OwnedFd>,
    reaped: bool,
}

impl Running {
    fn start(command: &mut Command) -> io::Result<Self> {
        let mut child = command.spawn()?;
        let group = Pid::from_child(&child);
        // Readable as soon as the process can be waited for: no thread has to block meanwhile.
        #[expect(
            deprecated,
            reason = "sound for a descriptor that is owned and never replaced; keeps this file free of unsafe"
        )]
        let exit = pidfd_open(group, PidfdFlags::empty())
            .map_err(io::Error::from)
            .and_then(AsyncFd::new);
        match exit {
            Ok(exit) => Ok(Self {
                child,
                group,
                exit,
                reaped: false,
            }),
            Err(error) => {
                let _ = kill_process_group(group, Signal::KILL);
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Waits until the process can be waited for.
    async fn ended(&self) -> io::Result<()> {
        self.exit.readable().await.map(|_| ())
    }

    fn signal(&self, signal: Signal) {
        // Nobody may be there any more.
        let _ = kill_process_group(self.group, signal);
    }

    /// Exit status and use of resources of a process that has ended.
    fn reap(mut self) -> io::Result<ResUse> {
        self.reaped = true;
        self.child
            .try_wait4()?
            .ok_or_else(|| io::Error::other("the process goes on after its end"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.reaped {
            // Before the process is waited for: until then nobody else can have its number.
            self.signal(Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::future::Future;
    use std::path::Path;
    use std::process::Stdio;
    use std::time::Instant;

    use igen_engine::Clock;
    use igen_engine::stop::Stop;
    use rustix::process::test_kill_process;

    use super::super::params::Params;
    use super::super::program::Program;
    use super::*;

    /// Far longer than any test: a test that waits for it hangs.
    const LONG: Duration = Duration::from_hours(1);

    fn shell(text: &str) -> Command {
        Program::of(text, &Params::default(), "params.run")
            .unwrap()
            .command(7)
    }

    async fn run(
        text: &str,
        limit: Duration,
        meanwhile: impl Future<Output = ()>,
        stop: Stop,
    ) -> (Outcome, Option<String>) {
        let (timer, _) = Timer::new(Clock::start(), stop).unwrap();
        let (mut errors, [writer, _]) = StandardError::open().unwrap();
        let (drain, [output, _]) = Drain::open().unwrap();
        let mut command = shell(text);
        command.stderr(writer).stdout(output);
        let executed = execute(&mut command, &mut errors, &drain, &timer, limit);
        let (outcome, ()) = tokio::join!(executed, meanwhile);
        (outcome.unwrap(), errors.last_line())
    }

    async fn to_its_end(text: &str) -> (ResUse, Option<String>) {
        let (outcome, line) = run(text, LONG, async {}, Stop::default()).await;
        let Outcome::Ended(used) = outcome else {
            panic!("{outcome:?}");
        };
        (used, line)
    }

    /// Waits until `file` has a line, and parses it as the number of a process.
    async fn process_in(file: &Path) -> Pid {
        loop {
            let text = std::fs::read_to_string(file).unwrap_or_default();
            if let Some(line) = text.strip_suffix('\n') {
                return Pid::from_raw(line.parse().unwrap()).unwrap();
            }
            tokio::task::yield_now().await;
        }
    }

    /// Waits until no such process runs: one that its parent has not waited for yet does not.
    fn wait_until_gone(process: Pid) {
        while test_kill_process(process).is_ok() {
            let stat = format!("/proc/{}/stat", process.as_raw_nonzero());
            let stat = std::fs::read_to_string(stat).unwrap_or_default();
            if stat.is_empty() || stat.contains(") Z ") {
                return;
            }
            std::thread::yield_now();
        }
    }

    #[tokio::test]
    async fn an_execution_tells_exit_code_times_and_memory() {
        let (used, line) =
            to_its_end("i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; exit 3").await;
        assert_eq!(used.status.code(), Some(3));
        assert!(used.rusage.utime > Duration::ZERO);
        assert!(used.rusage.maxrss > 100_000, "{}", used.rusage.maxrss);
        assert_eq!(line, None);
    }

    #[tokio::test]
    async fn a_program_that_says_more_than_a_pipe_holds_is_read_to_its_last_line() {
        let (used, line) =
            to_its_end("head -c 1000000 /dev/zero | tr '\\0' 'x' >&2; echo >&2; echo the end >&2")
                .await;
        assert!(used.status.success());
        assert_eq!(line.as_deref(), Some("the end"));
    }

    #[tokio::test]
    async fn a_program_writes_more_than_a_pipe_holds_and_sees_a_pipe() {
        let text = "test -p /dev/stdout && head -c 20000000 /dev/zero && seq 3 | grep -c .";
        let (used, _) = to_its_end(text).await;
        assert!(used.status.success());
    }

    #[tokio::test]
    async fn a_program_knows_its_user_and_reads_nothing() {
        let (used, line) = to_its_end("cat >&2; echo user $IGEN_USER >&2").await;
        assert!(used.status.success());
        assert_eq!(line.as_deref(), Some("user 7"));
    }

    #[tokio::test]
    async fn what_outlives_its_limit_is_killed_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        // Neither hears the request to end.
        let text = format!(
            "trap '' TERM; sleep 100000 & echo $! > {}; sleep 100000",
            file.display()
        );
        let began = Instant::now();
        let (outcome, _) = run(&text, GRACE, async {}, Stop::default()).await;
        assert!(matches!(outcome, Outcome::TimedOut), "{outcome:?}");
        assert!(began.elapsed() >= 2 * GRACE);
        wait_until_gone(process_in(&file).await);
    }

    #[tokio::test]
    async fn the_end_of_the_load_ends_the_program_which_may_tidy_up() {
        let folder = tempfile::tempdir().unwrap();
        let (started, tidied) = (folder.path().join("pid"), folder.path().join("tidied"));
        let text = format!(
            "trap 'touch {}; exit' TERM; sleep 100000 & echo $! > {}; wait",
            tidied.display(),
            started.display()
        );
        let stop = Stop::default();
        let ends = async {
            process_in(&started).await;
            stop.set();
        };
        let (outcome, _) = run(&text, LONG, ends, stop.clone()).await;
        assert!(matches!(outcome, Outcome::Stopped), "{outcome:?}");
        assert!(tidied.exists());
        wait_until_gone(process_in(&started).await);
    }

    #[tokio::test]
    async fn what_is_no_program_cannot_be_started() {
        let (timer, _) = Timer::new(Clock::start(), Stop::default()).unwrap();
        let (mut errors, _) = StandardError::open().unwrap();
        let (drain, _) = Drain::open().unwrap();
        let mut command = Command::new("/nowhere/at/all");
        command.stderr(Stdio::null());
        let error = execute(&mut command, &mut errors, &drain, &timer, LONG)
            .await
            .unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
