//! Tables of a scenario, and who takes which row.

use std::sync::atomic::{AtomicUsize, Ordering};

use igen_job::JobError;
use rand_core::Rng;

use super::csv::{MOST_BYTES, Table};
use crate::random::below;
use crate::web::scenario::{Data, Pick, Scenario};
use crate::zipf::Zipf;

/// Names that holes have already.
const TAKEN: [&str; 4] = ["random", "user", "now", "secret"];
/// Row k in proportion to 1/k.
const THETA: f64 = 1.0;

/// A table, and who takes which row.
pub struct Rows {
    pub table: Table,
    chosen: Chosen,
}

/// How a page chooses a row.
enum Chosen {
    /// It stays with that of its user.
    Unique,
    Random,
    Zipf(Zipf),
    /// The number of the one that is next.
    Next(AtomicUsize),
}

impl Rows {
    /// Returns the tables of a scenario for this number of users.
    pub fn all(scenario: &Scenario, users: u32) -> Result<Vec<Self>, JobError> {
        let data = scenario.data.iter();
        data.map(|(name, data)| Self::new(name, data, users))
            .collect()
    }

    fn new(name: &str, data: &Data, users: u32) -> Result<Self, JobError> {
        let path = format!("scenario.data.{name}");
        if TAKEN.contains(&name) {
            return Err(JobError::at(path, format!("the name `{name}` is reserved")));
        }
        let Some(text) = &data.text else {
            return Err(JobError::at(path, format!("the rows of {} are missing in the job", data.file)).hint(
                "use --set scenario=@FILE, so that igen reads the file, or put the lines into `text`",
            ));
        };
        if text.len() > MOST_BYTES {
            return Err(JobError::at(
                path,
                format!("{} is larger than 4 MiB", data.file),
            ));
        }
        let table = Table::read(text)
            .map_err(|text| JobError::at(&path, format!("{}: {text}", data.file)))?;
        if data.pick == Pick::Unique && table.rows() < users as usize {
            let text = format!(
                "{} has {} rows for {users} users, but each user needs its own",
                data.file,
                table.rows()
            );
            return Err(JobError::at(path, text)
                .hint("add rows, use fewer users, or set pick = \"random\""));
        }
        let chosen = match data.pick {
            Pick::Unique => Chosen::Unique,
            Pick::Random => Chosen::Random,
            // Rows of 4 MiB are far fewer.
            Pick::Zipf => {
                let rows = u32::try_from(table.rows()).unwrap_or(u32::MAX);
                Chosen::Zipf(Zipf::new(rows, THETA))
            }
            Pick::Next => Chosen::Next(AtomicUsize::new(0)),
        };
        Ok(Self { table, chosen })
    }

    /// Draws the row of a user's next page; `row` is its last row.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn draw(&self, row: &mut usize, random: &mut impl Rng) {
        let rows = self.table.rows();
        *row = match &self.chosen {
            Chosen::Unique => *row,
            Chosen::Random => usize::try_from(below(random, rows as u64)).unwrap_or(0),
            Chosen::Zipf(zipf) => zipf.draw(random) as usize - 1,
            Chosen::Next(next) => next.fetch_add(1, Ordering::Relaxed) % rows,
        };
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// How often each of three rows is drawn.
    fn drawn(pick: Pick) -> [u32; 3] {
        let data = Data {
            file: "a.csv".to_owned(),
            text: Some("x\n1\n2\n3\n".to_owned()),
            pick,
        };
        let rows = Rows::new("a", &data, 3).unwrap();
        let (mut random, mut row, mut times) = (Xoshiro256PlusPlus::seed_from_u64(1), 1, [0; 3]);
        for _ in 0..6_000 {
            rows.draw(&mut row, &mut random);
            times[row] += 1;
        }
        times
    }

    #[test]
    fn rows_are_taken_as_the_scenario_says() {
        assert_eq!(drawn(Pick::Unique), [0, 6_000, 0]);
        assert_eq!(drawn(Pick::Next), [2_000; 3]);
        let near = |times: [u32; 3], truth: [u32; 3]| {
            let far = times
                .iter()
                .zip(truth)
                .map(|(it, true_)| it.abs_diff(true_));
            assert!(far.max() < Some(150), "{times:?}");
        };
        near(drawn(Pick::Random), [2_000; 3]);
        // 1 to 1/2 to 1/3.
        near(drawn(Pick::Zipf), [3_273, 1_636, 1_091]);
    }
}
