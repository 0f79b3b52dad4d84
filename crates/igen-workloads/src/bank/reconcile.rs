//! After the load: is every transaction stored that was acknowledged, and none that was not sent?

use std::collections::BTreeMap;
use std::ops::AddAssign;

use igen_engine::{Failure, FailureKind};
use igen_job::{Fact, JobError, facts};

use super::journal::{Journals, Opened};
use crate::place::Place;

/// What a comparison of the journals with the history found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Reconciliation {
    /// Transactions that the database said it has stored.
    pub(super) acknowledged: i64,
    /// Those of this run that are in the history.
    pub(super) stored: i64,
    /// Acknowledged ones that are not in the history.
    pub(super) lost: i64,
}

impl Reconciliation {
    /// For the report.
    pub(super) fn facts(self) -> [Fact; 3] {
        [
            facts::BANK_ACKNOWLEDGED.is(self.acknowledged),
            facts::BANK_STORED.is(self.stored),
            facts::BANK_LOST.is(self.lost),
        ]
    }
}

impl AddAssign for Reconciliation {
    fn add_assign(&mut self, other: Self) {
        self.acknowledged += other.acknowledged;
        self.stored += other.stored;
        self.lost += other.lost;
    }
}

/// What the history holds of one session.
#[derive(Debug, Clone, Copy, Default)]
struct Stored {
    count: i64,
    last: i64,
    sum: i64,
}

/// Compares the journals of target number `index` with its history.
pub(super) async fn transactions(
    place: &Place,
    index: usize,
    journals: &Journals,
) -> Result<Reconciliation, JobError> {
    // A user whose transaction is still in flight may go on meanwhile: what was acknowledged before
    // the look at the history is in it, and nothing that was not yet sent after it.
    let opened = journals.of_target(index);
    let acknowledged: Vec<i64> = opened
        .iter()
        .map(|opened| opened.journal.acknowledged())
        .collect();
    let stored = stored(place, journals.run()).await;
    let stored = stored.map_err(|failure| place.unchecked(&failure))?;
    let mut found = Reconciliation::default();
    for (opened, acknowledged) in opened.iter().zip(acknowledged) {
        let stored = stored.get(&opened.session).copied().unwrap_or_default();
        found += of_session(opened, acknowledged, stored).map_err(|text| place.wrong(&text))?;
    }
    Ok(found)
}

/// The numbers of a session must be 1, 2, 3 and so on: the last acknowledged ones may be lost, the one
/// in doubt may be there.
fn of_session(
    opened: &Opened,
    acknowledged: i64,
    stored: Stored,
) -> Result<Reconciliation, String> {
    let session = opened.session;
    if stored.last != stored.count || stored.sum != stored.count * (stored.count + 1) / 2 {
        return Err(format!(
            "the history of session {session} has gaps or duplicates: {} transactions, but the last has \
             number {}",
            stored.count, stored.last
        ));
    }
    let sent = opened.journal.sent();
    if stored.count > sent {
        return Err(format!(
            "the history of session {session} has {} transactions, but only {sent} were sent",
            stored.count
        ));
    }
    Ok(Reconciliation {
        acknowledged,
        stored: stored.count,
        lost: (acknowledged - stored.count).max(0),
    })
}

/// What the history holds of run `run`, by session.
async fn stored(place: &Place, run: i64) -> Result<BTreeMap<i64, Stored>, Failure> {
    let sql = format!(
        "SELECT h_session, COUNT(*), MAX(h_number), SUM(h_number) FROM history WHERE h_run = {run} \
         GROUP BY h_session"
    );
    let mut session = place.database.long_session(&[]).await?;
    let mut found = BTreeMap::new();
    for row in session.query(&sql).await? {
        let figures: Option<Vec<i64>> = row
            .into_iter()
            .map(|value| value.and_then(|text| text.parse().ok()))
            .collect();
        let Some(&[session, count, last, sum]) = figures.as_deref() else {
            return Err(Failure::new(FailureKind::Other, "cannot read the history"));
        };
        found.insert(session, Stored { count, last, sum });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use std::sync::Arc;

    use super::*;

    /// A session with so many acknowledged transactions and perhaps one in doubt.
    fn session(acknowledged: i64, in_doubt: bool) -> Opened {
        let journals = Arc::new(Journals::of_a_new_run());
        let writer = journals.writer(0);
        for _ in 0..acknowledged {
            writer.send();
            writer.acknowledge();
        }
        if in_doubt {
            writer.send();
        }
        journals.of_target(0).pop().unwrap()
    }

    fn numbers(numbers: &[i64]) -> Stored {
        Stored {
            count: i64::try_from(numbers.len()).unwrap(),
            last: numbers.iter().copied().max().unwrap_or_default(),
            sum: numbers.iter().sum(),
        }
    }

    #[test]
    fn acknowledged_transactions_are_stored_or_lost() {
        for (acknowledged, in_doubt, stored, expected) in [
            (0, false, &[][..], Some((0, 0))),
            (3, false, &[1, 2, 3], Some((3, 0))),
            (3, true, &[1, 2, 3], Some((3, 0))),
            (3, true, &[1, 2, 3, 4], Some((4, 0))),
            (3, false, &[1], Some((1, 2))),
            (3, true, &[], Some((0, 3))),
            (3, false, &[1, 2, 3, 4], None),
            (3, true, &[1, 2, 3, 4, 5], None),
            (3, false, &[1, 3], None),
            (3, false, &[1, 2, 2], None),
            (3, false, &[1, 1, 3], None),
        ] {
            let opened = session(acknowledged, in_doubt);
            let found = of_session(&opened, acknowledged, numbers(stored));
            let found = found.map(|found| {
                assert_eq!(found.acknowledged, acknowledged);
                (found.stored, found.lost)
            });
            assert_eq!(found.ok(), expected, "{acknowledged} {in_doubt} {stored:?}");
        }
    }
}
