//! When is one user meant to start its next transaction? Pure arithmetic: no clock, no sleep.

use std::sync::Arc;

use crate::arrivals::Plan;
use crate::queue::ArrivalQueue;
use crate::think::Think;

/// A start that is later than this is given up and counted as unsent, never skipped silently.
pub const BACKLOG_CAP_NS: u64 = 10_000_000_000;

/// The schedule of one user.
#[derive(Debug, Clone)]
pub enum Pacer {
    /// Starts as soon as it is free, the first time not before `first_ns`.
    Stream {
        /// End of the wait in the ramp; taken by the first call.
        first_ns: Option<u64>,
    },
    /// Starts a think time after the end of the last transaction.
    Closed {
        /// When the first think time begins; taken by the first call.
        first_ns: Option<u64>,
        /// Think times.
        think: Think,
    },
    /// Starts at `first_ns + k × period_ns`, late or not.
    Paced {
        /// Moment of the first start.
        first_ns: u64,
        /// Time between starts.
        period_ns: f64,
        /// Number of the next start.
        next: u64,
    },
    /// Takes the next arrival from a queue that all users share.
    Open {
        /// The queue.
        queue: Arc<ArrivalQueue>,
    },
}

/// What a pacer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// The moment that response time counts from; `None` for the actual start, whenever that is.
    pub intended_ns: Option<u64>,
    /// Starts given up before this one.
    pub unsent: u64,
    /// Think time before it.
    pub think_ns: u64,
}

impl Pacer {
    /// The next start, asked for at `now_ns`, when the user is free. What it thinks of its own accord takes the place
    /// of the load's think time; a user with a timetable has no say.
    pub fn next(&mut self, now_ns: u64, own_think_ns: Option<u64>) -> Start {
        match self {
            Self::Stream { first_ns } => Start {
                intended_ns: match own_think_ns {
                    None => first_ns.take(),
                    Some(think_ns) => Some(now_ns.saturating_add(think_ns)),
                },
                unsent: 0,
                think_ns: own_think_ns.unwrap_or(0),
            },
            Self::Closed { first_ns, think } => {
                let (begin_ns, think_ns) = match first_ns.take() {
                    Some(first_ns) => (first_ns, think.first_ns()),
                    None => (now_ns, own_think_ns.unwrap_or_else(|| think.draw_ns())),
                };
                Start {
                    intended_ns: Some(begin_ns + think_ns),
                    unsent: 0,
                    think_ns,
                }
            }
            Self::Paced {
                first_ns,
                period_ns,
                next,
            } => first_in_time(now_ns, || {
                let due_ns = paced_start_ns(*first_ns, *period_ns, *next);
                *next += 1;
                due_ns
            }),
            Self::Open { queue } => first_in_time(now_ns, || queue.next_due_ns()),
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn paced_start_ns(first_ns: u64, period_ns: f64, index: u64) -> u64 {
    first_ns + (index as f64 * period_ns) as u64
}

fn first_in_time(now_ns: u64, mut next_due_ns: impl FnMut() -> u64) -> Start {
    let mut unsent = 0;
    loop {
        let intended_ns = next_due_ns();
        if intended_ns.saturating_add(BACKLOG_CAP_NS) >= now_ns {
            return Start {
                intended_ns: Some(intended_ns),
                unsent,
                think_ns: 0,
            };
        }
        unsent += 1;
    }
}

/// How many starts were due, whoever made them: the other side of the books.
#[derive(Debug, Clone)]
pub enum DueStarts {
    /// A closed load owes nothing.
    Closed,
    /// Sum over the users' timetables.
    Paced {
        /// Each user's first start.
        first_ns: Vec<u64>,
        /// Time between starts.
        period_ns: f64,
    },
    /// Its own copy of the plan.
    Open {
        /// The plan, beyond the arrivals counted.
        plan: std::iter::Peekable<Plan>,
        /// Arrivals counted.
        due: u64,
    },
}

impl DueStarts {
    /// Starts due up to and including `now_ns`, from the begin; `None` for a closed load. Must be
    /// called with growing times.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn due(&mut self, now_ns: u64) -> Option<u64> {
        match self {
            Self::Closed => None,
            Self::Paced {
                first_ns,
                period_ns,
            } => {
                let begun = first_ns.iter().filter(|first| **first <= now_ns);
                Some(
                    begun
                        .map(|first| ((now_ns - first) as f64 / *period_ns) as u64 + 1)
                        .sum(),
                )
            }
            Self::Open { plan, due } => {
                while plan.next_if(|moment| *moment <= now_ns).is_some() {
                    *due += 1;
                }
                Some(*due)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use igen_job::{Arrivals, Seconds, Share, ThinkTime};

    const MS: u64 = 1_000_000;

    fn on_time(intended_ns: u64) -> Start {
        Start {
            intended_ns: Some(intended_ns),
            unsent: 0,
            think_ns: 0,
        }
    }

    #[test]
    fn a_closed_user_thinks_after_each_transaction() {
        let mut pacer = Pacer::Closed {
            first_ns: Some(3),
            think: Think::new(ThinkTime::Fixed(Seconds(10e-9)), 1),
        };
        let first = pacer.next(0, None);
        assert!(first.think_ns <= 10);
        assert_eq!(first.intended_ns, Some(3 + first.think_ns));
        for now_ns in [100, 150] {
            let after = Start {
                think_ns: 10,
                ..on_time(now_ns + 10)
            };
            assert_eq!(pacer.next(now_ns, None), after);
        }
    }

    #[test]
    fn a_user_may_think_of_its_own_accord() {
        let own = Start {
            think_ns: 70,
            ..on_time(170)
        };
        let mut closed = Pacer::Closed {
            first_ns: None,
            think: Think::new(ThinkTime::Fixed(Seconds(10e-9)), 1),
        };
        assert_eq!(closed.next(100, Some(70)), own);
        assert_eq!(closed.next(100, None).think_ns, 10);
        let mut stream = Pacer::Stream { first_ns: Some(5) };
        assert_eq!(stream.next(0, None), on_time(5));
        assert_eq!(stream.next(100, Some(70)), own);
        assert_eq!(stream.next(100, None).intended_ns, None);
        let mut paced = Pacer::Paced {
            first_ns: MS,
            period_ns: 100e6,
            next: 0,
        };
        assert_eq!(paced.next(0, Some(70)), on_time(MS));
    }

    #[test]
    fn a_paced_user_keeps_to_its_timetable_when_late() {
        let mut pacer = Pacer::Paced {
            first_ns: MS,
            period_ns: 100e6,
            next: 0,
        };
        assert_eq!(pacer.next(0, None), on_time(MS));
        assert_eq!(pacer.next(350 * MS, None), on_time(101 * MS));
        assert_eq!(pacer.next(351 * MS, None), on_time(201 * MS));
    }

    #[test]
    fn a_start_later_than_the_cap_is_counted_and_given_up() {
        let mut pacer = Pacer::Paced {
            first_ns: 0,
            period_ns: 1e9,
            next: 0,
        };
        let start = pacer.next(12_500 * MS, None);
        assert_eq!(
            start,
            Start {
                unsent: 3,
                ..on_time(3_000 * MS)
            }
        );
    }

    #[test]
    fn users_of_an_open_load_share_one_plan() {
        let plan = Plan::new(0, 1000.0, Arrivals::Constant, 0, Share::WHOLE);
        let queue = Arc::new(ArrivalQueue::new(plan));
        let mut one = Pacer::Open {
            queue: Arc::clone(&queue),
        };
        let mut two = Pacer::Open { queue };
        assert_eq!(
            [one.next(0, None), two.next(0, None), one.next(0, None)],
            [0, MS, 2 * MS].map(on_time)
        );
    }

    #[test]
    fn the_count_agrees_with_the_pacers() {
        let plan = Plan::new(0, 700.0, Arrivals::Poisson, 3, Share::WHOLE);
        let mut due = DueStarts::Open {
            plan: plan.clone().peekable(),
            due: 0,
        };
        for moment in [0, 10 * MS, 500 * MS, 3_000 * MS] {
            let truth = plan.clone().take_while(|due| *due <= moment).count() as u64;
            assert_eq!(due.due(moment), Some(truth));
        }
        let mut paced = DueStarts::Paced {
            first_ns: vec![0, 50 * MS],
            period_ns: 100e6,
        };
        assert_eq!(paced.due(0), Some(1));
        assert_eq!(paced.due(149 * MS), Some(3));
        assert_eq!(paced.due(150 * MS), Some(4));
        assert_eq!(DueStarts::Closed.due(9), None);
    }
}
