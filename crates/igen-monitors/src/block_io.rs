//! The kernel's counters of a block device's input and output: the same fields in `/proc/diskstats`
//! and in the device's own `stat`.

use igen_job::event::Reading;

use crate::values::{numbers, values};

/// The unit of these counters, whatever the device's own sector is.
const SECTOR_BYTES: f64 = 512.0;

/// Fields as Documentation/admin-guide/iostats.rst of the kernel numbers them, from 1; old kernels
/// have fewer.
pub(crate) fn reading(monitor: &str, subject: &str, fields: &str) -> Reading {
    let fields = numbers(fields);
    let field = |number: usize| fields.get(number - 1).copied();
    let bytes = |number| field(number).map(|sectors| sectors * SECTOR_BYTES);
    let seconds = |number| field(number).map(|milliseconds| milliseconds / 1e3);
    Reading {
        monitor: monitor.to_owned(),
        subject: subject.to_owned(),
        counters: values([
            ("reads", field(1)),
            ("read_bytes", bytes(3)),
            ("read_time_s", seconds(4)),
            ("writes", field(5)),
            ("written_bytes", bytes(7)),
            ("write_time_s", seconds(8)),
            ("busy_s", seconds(10)),
            ("weighted_s", seconds(11)),
            ("discards", field(12)),
            ("discarded_bytes", bytes(14)),
            ("flushes", field(16)),
            ("flush_time_s", seconds(17)),
        ]),
        gauges: values([("in_flight", field(9))]),
        ..Reading::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_become_bytes_and_milliseconds_seconds() {
        let fields = " 79842 12698 7001114 23601 27718 18502 3350568 12194 2 12704 36960 10012 71 865288 949 \
                      3538 214\n";
        let reading = reading("disk", "vda", fields);
        assert_eq!((&*reading.monitor, &*reading.subject), ("disk", "vda"));
        assert_eq!(
            reading.counters,
            values([
                ("reads", Some(79842.0)),
                ("read_bytes", Some(3_584_570_368.0)),
                ("read_time_s", Some(23.601)),
                ("writes", Some(27718.0)),
                ("written_bytes", Some(1_715_490_816.0)),
                ("write_time_s", Some(12.194)),
                ("busy_s", Some(12.704)),
                ("weighted_s", Some(36.960)),
                ("discards", Some(10012.0)),
                ("discarded_bytes", Some(443_027_456.0)),
                ("flushes", Some(3538.0)),
                ("flush_time_s", Some(0.214)),
            ])
        );
        assert_eq!(reading.gauges, values([("in_flight", Some(2.0))]));
    }

    #[test]
    fn an_old_kernel_has_no_discards_and_flushes() {
        let reading = reading("disk", "cciss/c0d0", "1 2 3 4 5 6 7 8 9 10 11");
        assert_eq!(reading.counters.len(), 8);
        assert_eq!(
            reading.counters["weighted_s"].to_bits(),
            0.011_f64.to_bits()
        );
    }
}
