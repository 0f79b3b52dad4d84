//! Processor time by kind, of the whole host and of each processor.
//!
//! Reads: `/proc/stat`. Resolution: a clock tick (10 ms). A guest's time is part of `user_s`, as
//! the kernel counts it. `idle_s` and `iowait_s` may go back a little: the kernel estimates them.
//! Cost: 5 µs with 2 processors; the kernel adds up every interrupt line and processor.
//! Requirements: none.

use std::io;

use igen_engine::Monitor;
use igen_job::event::Reading;
use rustix::param::clock_ticks_per_second;

use crate::values::{numbers, values};
use igen_kernel::proc_file::ProcFile;

pub(crate) struct Cpu {
    stat: ProcFile,
}

impl Cpu {
    pub(crate) const NAME: &'static str = "cpu";

    pub(crate) fn open() -> io::Result<Self> {
        let stat = ProcFile::open("/proc/stat")?;
        Ok(Self { stat })
    }
}

impl Monitor for Cpu {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn read(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        parse(
            &self.stat.read()?,
            clock_ticks_per_second() as f64,
            readings,
        );
        Ok(())
    }
}

fn parse(text: &str, ticks_per_s: f64, readings: &mut Vec<Reading>) {
    let mut total = None;
    for line in text.lines() {
        let Some((key, rest)) = line.split_once(' ') else {
            continue;
        };
        if let Some(number) = key.strip_prefix("cpu") {
            if number.is_empty() {
                total = Some(readings.len());
            }
            let subject = if number.is_empty() { "" } else { key };
            readings.push(times(subject, rest, ticks_per_s));
            continue;
        }
        let Some(total) = total.and_then(|index| readings.get_mut(index)) else {
            continue;
        };
        // The line of interrupts is long: only these are parsed.
        let (map, name) = match key {
            "ctxt" => (&mut total.counters, "context_switches"),
            "processes" => (&mut total.counters, "processes_created"),
            "procs_running" => (&mut total.gauges, "runnable"),
            "procs_blocked" => (&mut total.gauges, "blocked"),
            _ => continue,
        };
        if let Some(value) = numbers(rest).first() {
            map.insert(name.to_owned(), *value);
        }
    }
}

/// One line of processor time. Fields 9 and 10 (guests) are left out: they are part of the first two.
fn times(subject: &str, line: &str, ticks_per_s: f64) -> Reading {
    let ticks = numbers(line);
    let seconds = |index: usize| ticks.get(index).map(|ticks| ticks / ticks_per_s);
    Reading {
        monitor: Cpu::NAME.to_owned(),
        subject: subject.to_owned(),
        counters: values([
            ("user_s", seconds(0)),
            ("nice_s", seconds(1)),
            ("system_s", seconds(2)),
            ("idle_s", seconds(3)),
            ("iowait_s", seconds(4)),
            ("irq_s", seconds(5)),
            ("softirq_s", seconds(6)),
            ("steal_s", seconds(7)),
        ]),
        ..Reading::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPTURED: &str = "\
cpu  14077 5 3513 180422 892 3 112 41 7 0
cpu0 6128 0 1310 91929 72 0 35 15 0 0
cpu1 7949 5 2202 88493 820 3 77 25 7 0
intr 286915 0 0 0 14 0 0 199 432
ctxt 532204
btime 1795225064
processes 11651
procs_running 3
procs_blocked 1
softirq 213311 0 20188 4 8159
";

    fn parsed(text: &str) -> Vec<Reading> {
        let mut readings = Vec::new();
        parse(text, 100.0, &mut readings);
        readings
    }

    #[test]
    fn total_and_each_processor() {
        let readings = parsed(CAPTURED);
        let subjects: Vec<&str> = readings.iter().map(|reading| &*reading.subject).collect();
        assert_eq!(subjects, ["", "cpu0", "cpu1"]);

        let expected = values([
            ("user_s", Some(140.77)),
            ("nice_s", Some(0.05)),
            ("system_s", Some(35.13)),
            ("idle_s", Some(1804.22)),
            ("iowait_s", Some(8.92)),
            ("irq_s", Some(0.03)),
            ("softirq_s", Some(1.12)),
            ("steal_s", Some(0.41)),
            ("context_switches", Some(532_204.0)),
            ("processes_created", Some(11651.0)),
        ]);
        assert_eq!(readings[0].counters, expected);
        assert_eq!(
            readings[0].gauges,
            values([("runnable", Some(3.0)), ("blocked", Some(1.0))])
        );
        assert_eq!(
            readings[2].counters["user_s"].to_bits(),
            79.49_f64.to_bits()
        );
        assert!(readings[2].gauges.is_empty());
    }

    #[test]
    fn a_kernel_without_steal_has_no_steal() {
        let readings = parsed("cpu 1 2 3 4\nctxt\n");
        assert_eq!(readings[0].counters.len(), 4);
        assert!(!readings[0].counters.contains_key("steal_s"));
    }

    #[test]
    fn nothing_is_made_up() {
        assert!(parsed("").is_empty());
        assert!(parsed("ctxt 5\n").is_empty(), "no total to belong to");
        assert!(parsed("cpu x y\n")[0].counters.is_empty());
    }

    proptest::proptest! {
        #[test]
        fn a_text_cut_off_anywhere_is_taken(length in 0..CAPTURED.len()) {
            proptest::prop_assert!(parsed(&CAPTURED[..length]).len() <= 3);
        }
    }
}
