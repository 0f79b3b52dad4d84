//! Amounts in sentences; tables hold numbers, and whoever prints them writes the units.

/// `512 MiB`, `1.25 GiB`: three digits at most.
pub(crate) fn bytes_text(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if value < 1024.0 {
            return format!("{} {unit}", short(value));
        }
        value /= 1024.0;
    }
    format!("{} TiB", short(value))
}

/// Three significant digits without zeros at the end.
pub(crate) fn short(value: f64) -> String {
    let text = match value.abs() {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_read_well() {
        for (bytes, text) in [
            (0, "0 B"),
            (512 << 20, "512 MiB"),
            (5 << 28, "1.25 GiB"),
            (u64::MAX, "16777216 TiB"),
        ] {
            assert_eq!(bytes_text(bytes), text);
        }
        assert_eq!(short(12.0), "12");
        assert_eq!(short(0.101), "0.1");
    }
}
