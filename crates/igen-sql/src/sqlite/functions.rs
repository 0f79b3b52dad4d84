//! Functions of SQL that other engines have and SQLite, as it is bundled, has not.

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::{Connection, Result};

/// Adds `pi`, `sin`, `cos`, `sqrt` and `stddev_samp` to a connection.
pub(super) fn add_functions(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("pi", 0, flags, |_| Ok(std::f64::consts::PI))?;
    for (name, function) in [
        ("sin", f64::sin as fn(f64) -> f64),
        ("cos", f64::cos),
        ("sqrt", f64::sqrt),
    ] {
        connection.create_scalar_function(name, 1, flags, move |arguments| {
            let argument: Option<f64> = arguments.get(0)?;
            Ok(argument.map(function))
        })?;
    }
    connection.create_aggregate_function("stddev_samp", 1, flags, SampleDeviation)
}

/// The standard deviation of a sample; NULL below two values.
struct SampleDeviation;

/// Welford's sums: no difference of large squares.
#[derive(Debug, Default)]
struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Aggregate<Moments, Option<f64>> for SampleDeviation {
    fn init(&self, _: &mut Context<'_>) -> Result<Moments> {
        Ok(Moments::default())
    }

    fn step(&self, arguments: &mut Context<'_>, moments: &mut Moments) -> Result<()> {
        if let Some(value) = arguments.get::<Option<f64>>(0)? {
            moments.count += 1.0;
            let from_old_mean = value - moments.mean;
            moments.mean += from_old_mean / moments.count;
            moments.squares += from_old_mean * (value - moments.mean);
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, moments: Option<Moments>) -> Result<Option<f64>> {
        Ok(moments
            .filter(|moments| moments.count > 1.0)
            .map(|moments| (moments.squares / (moments.count - 1.0)).sqrt()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_functions_are_those_of_other_engines() {
        let connection = Connection::open_in_memory().unwrap();
        add_functions(&connection).unwrap();
        for (sql, expected) in [
            ("SELECT sin(pi() / 2)", Some(1.0)),
            ("SELECT cos(0)", Some(1.0)),
            ("SELECT sqrt(9)", Some(3.0)),
            ("SELECT sqrt(NULL)", None),
            // Of 2, 4, 4, 4, 5, 5, 7, 9: 32 / 7.
            (
                "SELECT stddev_samp(column1) FROM (VALUES (2), (4), (4), (4), (5), (5), (7), (9), (NULL))",
                Some((32.0_f64 / 7.0).sqrt()),
            ),
            ("SELECT stddev_samp(1)", None),
            (
                "SELECT stddev_samp(a) FROM (SELECT 1 AS a) WHERE a > 1",
                None,
            ),
        ] {
            let found: Option<f64> = connection.query_row(sql, [], |row| row.get(0)).unwrap();
            match (found, expected) {
                (Some(found), Some(expected)) => assert!((found - expected).abs() < 1e-12, "{sql}"),
                (found, expected) => assert_eq!(found, expected, "{sql}"),
            }
        }
    }
}
