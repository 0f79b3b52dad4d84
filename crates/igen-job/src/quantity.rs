//! Sizes and times that accept units: `512MiB`, `5ms`, or a plain number in the base unit.

use std::borrow::Cow;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;

/// A size in bytes: `4096`, `"8KiB"`, `"512MiB"`, `"1GB"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A time in seconds: `0.005`, `"5ms"`, `"1s"`, `"2min"`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Seconds(pub f64);

const BYTE_UNITS: &[(&str, f64)] = &[
    ("B", 1.0),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
    ("kB", 1e3),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
];
const TIME_UNITS: &[(&str, f64)] = &[
    ("ns", 1e-9),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("min", 60.0),
    ("h", 3600.0),
    ("d", 86_400.0),
];

fn parse(text: &str, units: &[(&str, f64)]) -> Result<f64, String> {
    let text = text.trim();
    let split = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | '_')))
        .unwrap_or(text.len());
    let (number, unit) = (text[..split].replace('_', ""), text[split..].trim());
    let value: f64 = number
        .parse()
        .map_err(|_| format!("`{text}` is not a number with a unit"))?;
    if unit.is_empty() {
        return Ok(value);
    }
    match units.iter().find(|(name, _)| *name == unit) {
        Some((_, factor)) => Ok(value * factor),
        None => Err(format!(
            "unknown unit `{unit}`: use one of {}",
            units
                .iter()
                .map(|(name, _)| *name)
                .collect::<Vec<_>>()
                .join(", ")
        )),
    }
}

impl FromStr for Bytes {
    type Err = String;

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn from_str(text: &str) -> Result<Self, String> {
        let value = parse(text, BYTE_UNITS)?;
        if !(0.0..=9e18).contains(&value) || value.fract() != 0.0 {
            return Err(format!("`{text}` is not a whole number of bytes"));
        }
        Ok(Self(value as u64))
    }
}

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let value = parse(text, TIME_UNITS)?;
        if value < 0.0 || !value.is_finite() {
            return Err(format!(
                "`{text}` is not a valid time: it is negative or infinite"
            ));
        }
        Ok(Self(value))
    }
}

fn from_number_or_text<T>(value: &Value, expected: &str) -> Result<T, String>
where
    T: FromStr<Err = String>,
{
    match value {
        // Displayed as f64, because JSON may write it with an exponent.
        Value::Number(number) if number.is_f64() => {
            number.as_f64().unwrap_or(f64::NAN).to_string().parse()
        }
        Value::Number(number) => number.to_string().parse(),
        Value::String(text) => text.parse(),
        other => Err(format!("{other} is not {expected}")),
    }
}

macro_rules! quantity {
    ($type:ident, $name:literal, $format:literal, $expected:literal) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = Value::deserialize(deserializer)?;
                from_number_or_text(&value, $expected).map_err(de::Error::custom)
            }
        }

        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "type": ["number", "string"],
                    "format": $format,
                    "description": $expected,
                })
            }
        }
    };
}

quantity!(Bytes, "Bytes", "bytes", "a size such as 4096 or \"512MiB\"");
quantity!(
    Seconds,
    "Seconds",
    "seconds",
    "a time such as 0.005 or \"5ms\""
);

#[cfg(test)]
mod tests {
    #![expect(clippy::expect_used)]
    use super::*;

    #[test]
    fn sizes_and_times_take_units() {
        for (text, bytes) in [
            ("4096", 4096),
            ("8KiB", 8192),
            ("1.5 kB", 1500),
            ("1_000B", 1000),
        ] {
            assert_eq!(text.parse::<Bytes>(), Ok(Bytes(bytes)), "{text}");
        }
        for (text, seconds) in [
            ("0.005", 0.005),
            ("5ms", 0.005),
            ("2min", 120.0),
            ("250 us", 250e-6),
        ] {
            let parsed: Seconds = text.parse().expect(text);
            assert!((parsed.0 - seconds).abs() < 1e-12, "{text}");
        }
    }

    #[test]
    fn nonsense_names_the_units() {
        let error = "5 parsecs".parse::<Seconds>().expect_err("not a time");
        assert!(error.contains("parsecs") && error.contains("ms"), "{error}");
        for text in ["", "-1", "1.5", "MiB", "inf"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
        assert!("-1s".parse::<Seconds>().is_err());
    }

    #[test]
    fn json_takes_numbers_and_texts() {
        assert_eq!(
            serde_json::from_str::<Bytes>("\"1MiB\"").ok(),
            Some(Bytes(1 << 20))
        );
        assert_eq!(serde_json::from_str::<Bytes>("17").ok(), Some(Bytes(17)));
        assert!(serde_json::from_str::<Bytes>("[1]").is_err());
        let tiny: Seconds = serde_json::from_str("2e-06").expect("a number");
        assert!((tiny.0 - 2e-6).abs() < 1e-18);
    }
}
