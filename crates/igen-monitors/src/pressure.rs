//! Pressure stall information: time in which tasks waited for a processor, memory or I/O.
//!
//! Reads: `/proc/pressure/{cpu,memory,io}`. `some_s`: at least one task waited; `full_s`: none that
//! was not idle could run. For `cpu` of a whole host `full_s` is always 0.
//! Cost: 3 µs. Requirements: kernel 4.20 with PSI, which some distributions turn on with `psi=1`.

use std::io;

use igen_engine::Monitor;
use igen_job::event::Reading;

use crate::values::values;
use igen_kernel::proc_file::ProcFile;

pub(crate) struct Pressure {
    files: Vec<(&'static str, ProcFile)>,
}

impl Pressure {
    pub(crate) const NAME: &'static str = "pressure";

    pub(crate) fn open() -> io::Result<Self> {
        let files = ["cpu", "memory", "io"]
            .into_iter()
            .map(|subject| {
                Ok((
                    subject,
                    ProcFile::open(format!("/proc/pressure/{subject}"))?,
                ))
            })
            .collect::<io::Result<_>>()?;
        Ok(Self { files })
    }
}

impl Monitor for Pressure {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn read(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        for (subject, file) in &mut self.files {
            readings.push(parse(subject, &file.read()?));
        }
        Ok(())
    }
}

fn parse(subject: &str, text: &str) -> Reading {
    let seconds = |kind| {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(kind)?.strip_prefix(' '))?;
        let microseconds = line
            .split(' ')
            .find_map(|field| field.strip_prefix("total="))?;
        Some(microseconds.parse::<u64>().ok()? as f64 / 1e6)
    };
    Reading {
        monitor: Pressure::NAME.to_owned(),
        subject: subject.to_owned(),
        counters: values([("some_s", seconds("some")), ("full_s", seconds("full"))]),
        ..Reading::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_in_microseconds_become_seconds() {
        let text = "some avg10=5.24 avg60=1.70 avg300=0.58 total=7564650\n\
                    full avg10=5.12 avg60=1.64 avg300=0.55 total=7193767\n";
        let reading = parse("io", text);
        assert_eq!(reading.subject, "io");
        assert_eq!(
            reading.counters,
            values([("some_s", Some(7.564_650)), ("full_s", Some(7.193_767))])
        );
    }

    #[test]
    fn an_old_kernel_has_no_full_for_the_processor() {
        let reading = parse(
            "cpu",
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=5000000\n",
        );
        assert_eq!(reading.counters, values([("some_s", Some(5.0))]));
    }

    #[test]
    fn a_cut_text_gives_what_is_whole() {
        assert!(parse("cpu", "some avg10=0.00 tot").counters.is_empty());
        assert!(parse("cpu", "").counters.is_empty());
    }
}
