//! The steps of a session, flat, with the places to go on at.

use std::collections::BTreeMap;

use igen_job::JobError;
use rand_core::Rng;

use super::alias::Alias;
use super::nearest::did_you_mean;
use crate::web::scenario;

/// The most that all weights of a choice come to together.
const MOST_WEIGHT: u64 = 1_000_000;
/// Most times that a loop does its steps.
const MOST_TIMES: u16 = 10_000;
/// Most steps from one page to the next: those of a user who hardly ever comes to a page take a few milliseconds.
const MOST_STEPS: u32 = 1_000_000;
/// Deepest nesting.
const MOST_DEPTH: usize = 16;

/// A step.
#[derive(Debug, Clone)]
pub enum Step {
    /// Goes to that page.
    Page(usize),
    /// Draws how often the steps up to `end` are done, and skips them where that is never.
    Loop {
        slot: usize,
        times: Box<[u16]>,
        draw: Alias,
        end: usize,
    },
    /// Goes back unless the loop has been done often enough.
    Again { slot: usize, back: usize },
    /// Goes on at one of these places.
    Choose { draw: Alias, ways: Box<[usize]> },
    /// Goes on there.
    Jump(usize),
}

/// All steps of a session; behind the last one comes the first.
#[derive(Debug, Default)]
pub struct Steps {
    steps: Vec<Step>,
    loops: usize,
}

/// Position of a user in a session.
#[derive(Debug, Clone)]
pub struct Position {
    at: usize,
    /// How often each loop is still to be done.
    left: Box<[u16]>,
}

impl Steps {
    /// Flattens the steps of a session, of which page names stand for places in the list of pages.
    pub fn new(
        session: &scenario::Session,
        pages: &BTreeMap<&str, usize>,
    ) -> Result<Self, JobError> {
        let mut steps = Self::default();
        steps.add(&session.steps, pages, "scenario.session.steps", 0)?;
        if !goes_to_a_page(&session.steps) {
            return Err(
                JobError::at("scenario.session.steps", "the steps do not use any page")
                    .hint("use steps such as steps = [{ page = \"home\" }]"),
            );
        }
        Ok(steps)
    }

    fn add(
        &mut self,
        steps: &[scenario::Step],
        pages: &BTreeMap<&str, usize>,
        path: &str,
        depth: usize,
    ) -> Result<(), JobError> {
        if depth > MOST_DEPTH {
            return Err(JobError::at(
                path,
                format!("steps are nested more than {MOST_DEPTH} deep"),
            ));
        }
        for (index, step) in steps.iter().enumerate() {
            let path = format!("{path}[{index}]");
            match (&step.page, &step.times, &step.choose) {
                (Some(name), None, None) if step.steps.is_empty() => {
                    self.steps
                        .push(Step::Page(page(pages, name, &format!("{path}.page"))?));
                }
                (None, Some(times), None) => {
                    let (times, draw) = loop_times(times, &format!("{path}.loop"))?;
                    let (slot, begin) = (self.loops, self.steps.len());
                    self.loops += 1;
                    self.steps.push(Step::Jump(0));
                    self.add(&step.steps, pages, &format!("{path}.steps"), depth + 1)?;
                    self.steps.push(Step::Again {
                        slot,
                        back: begin + 1,
                    });
                    let end = self.steps.len();
                    self.steps[begin] = Step::Loop {
                        slot,
                        times,
                        draw,
                        end,
                    };
                }
                (None, None, Some(ways)) if step.steps.is_empty() => {
                    let path = format!("{path}.choose");
                    let weights: Vec<_> = ways.iter().map(|way| way.weight).collect();
                    let (draw, begin) = (alias(&weights, &path)?, self.steps.len());
                    self.steps.push(Step::Jump(0));
                    let (mut begins, mut ends) = (Vec::new(), Vec::new());
                    for (index, way) in ways.iter().enumerate() {
                        begins.push(self.steps.len());
                        self.add(
                            &way.steps,
                            pages,
                            &format!("{path}[{index}].steps"),
                            depth + 1,
                        )?;
                        ends.push(self.steps.len());
                        self.steps.push(Step::Jump(0));
                    }
                    let end = self.steps.len();
                    for jump in ends {
                        self.steps[jump] = Step::Jump(end);
                    }
                    self.steps[begin] = Step::Choose {
                        draw,
                        ways: begins.into(),
                    };
                }
                _ => {
                    return Err(JobError::at(
                        path,
                        "a step must be a page, a loop with steps, or a choice",
                    )
                    .hint(
                        "use { page = \"home\" }, { loop = { 3 = 1 }, steps = [...] } or \
                         { choose = [{ weight = 1, steps = [...] }] }",
                    ));
                }
            }
        }
        Ok(())
    }

    /// Returns the pages of a session, once for each step that names them.
    pub fn pages(&self) -> impl Iterator<Item = usize> {
        self.steps.iter().filter_map(|step| match step {
            Step::Page(page) => Some(*page),
            _ => None,
        })
    }

    /// Returns the start of a session.
    pub fn begin(&self) -> Position {
        Position {
            at: 0,
            left: vec![0; self.loops].into(),
        }
    }

    /// Returns the next page; `None` after a million steps without a page. The next call continues from there.
    pub fn next(&self, position: &mut Position, random: &mut impl Rng) -> Option<usize> {
        for _ in 0..MOST_STEPS {
            match self.steps.get(position.at) {
                None => position.at = 0,
                Some(Step::Page(page)) => {
                    position.at += 1;
                    return Some(*page);
                }
                Some(Step::Loop {
                    slot,
                    times,
                    draw,
                    end,
                }) => {
                    let times = times[draw.draw(random)];
                    position.left[*slot] = times;
                    position.at = if times == 0 { *end } else { position.at + 1 };
                }
                Some(Step::Again { slot, back }) => {
                    position.left[*slot] -= 1;
                    position.at = if position.left[*slot] == 0 {
                        position.at + 1
                    } else {
                        *back
                    };
                }
                Some(Step::Choose { draw, ways }) => position.at = ways[draw.draw(random)],
                Some(Step::Jump(to)) => position.at = *to,
            }
        }
        None
    }
}

/// Returns the place of the page with this name.
pub fn page(pages: &BTreeMap<&str, usize>, name: &str, path: &str) -> Result<usize, JobError> {
    pages.get(name).copied().ok_or_else(|| {
        let known: Vec<_> = pages.keys().map(|name| (*name).to_owned()).collect();
        JobError::at(path, format!("unknown page `{name}`")).hint(did_you_mean(name, &known))
    })
}

/// Returns the possible numbers of repetitions of a loop, and the generator that draws one.
fn loop_times(times: &BTreeMap<String, u32>, path: &str) -> Result<(Box<[u16]>, Alias), JobError> {
    let number = |text: &String| {
        text.parse()
            .ok()
            .filter(|times| *times <= MOST_TIMES)
            .ok_or_else(|| {
                JobError::at(
                    path,
                    format!("`{text}` is not a valid number of repetitions"),
                )
                .hint(format!(
                    "use 0 to {MOST_TIMES}, each with its weight: {{ 1 = 60, 3 = 40 }}"
                ))
            })
    };
    let numbers: Result<_, _> = times.keys().map(number).collect();
    let weights: Vec<_> = times.values().copied().collect();
    Ok((numbers?, alias(&weights, path)?))
}

fn alias(weights: &[u32], path: &str) -> Result<Alias, JobError> {
    let sum: u64 = weights.iter().copied().map(u64::from).sum();
    if !(1..=MOST_WEIGHT).contains(&sum) {
        return Err(
            JobError::at(path, format!("the sum of the weights is {sum}"))
                .hint(format!("use a sum of 1 to {MOST_WEIGHT}")),
        );
    }
    Ok(Alias::new(weights))
}

fn goes_to_a_page(steps: &[scenario::Step]) -> bool {
    steps.iter().any(|step| {
        let loops = step
            .times
            .iter()
            .flatten()
            .any(|(times, weight)| *weight > 0 && times.parse() != Ok(0));
        let ways = step
            .choose
            .iter()
            .flatten()
            .any(|way| way.weight > 0 && goes_to_a_page(&way.steps));
        step.page.is_some() || (loops && goes_to_a_page(&step.steps)) || ways
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    fn steps(toml: &str) -> Result<Steps, JobError> {
        let session = toml::from_str(toml).unwrap();
        Steps::new(&session, &BTreeMap::from([("a", 0), ("b", 1), ("c", 2)]))
    }

    fn walk(toml: &str, pages: usize) -> Vec<usize> {
        let (steps, mut random) = (steps(toml).unwrap(), Xoshiro256PlusPlus::seed_from_u64(1));
        let mut position = steps.begin();
        (0..pages)
            .map(|_| steps.next(&mut position, &mut random).unwrap())
            .collect()
    }

    #[test]
    fn pages_follow_each_other_and_begin_anew() {
        assert_eq!(
            walk("steps = [{ page = 'a' }, { page = 'b' }]", 5),
            [0, 1, 0, 1, 0]
        );
        let nested = "steps = [{ loop = { 2 = 1 }, steps = [{ page = 'a' }, \
                      { loop = { 3 = 1 }, steps = [{ page = 'b' }] }] }, { page = 'c' }]";
        assert_eq!(walk(nested, 10), [0, 1, 1, 1, 0, 1, 1, 1, 2, 0]);
        assert_eq!(
            walk(
                "steps = [{ loop = { 0 = 1 }, steps = [{ page = 'a' }] }, { page = 'b' }]",
                2
            ),
            [1, 1]
        );
    }

    #[test]
    fn ways_are_taken_by_their_weights() {
        let toml = "steps = [{ choose = [{ weight = 3, steps = [{ page = 'a' }] }, \
                    { weight = 1, steps = [{ page = 'b' }] }, { weight = 0, steps = [{ page = 'c' }] }] }]";
        let walked = walk(toml, 20_000);
        let share = walked.iter().filter(|page| **page == 0).count() as f64 / 20_000.0;
        assert!((share - 0.75).abs() < 0.02, "{share}");
        assert!(!walked.contains(&2));
    }

    #[test]
    fn who_comes_to_no_page_is_told_so_in_time() {
        let empty = "{ loop = { 10000 = 1 }, steps = [EMPTY] }";
        let nested = (0..9).fold(empty.to_owned(), |nested, _| nested.replace("EMPTY", empty));
        let toml = format!(
            "steps = [{}, {{ page = 'a' }}]",
            nested.replace("EMPTY", "")
        );
        let (steps, mut random) = (steps(&toml).unwrap(), Xoshiro256PlusPlus::seed_from_u64(1));
        let mut position = steps.begin();
        assert_eq!(steps.next(&mut position, &mut random), None);
        assert_eq!(steps.next(&mut position, &mut random), None);
    }

    #[test]
    fn nonsense_is_told_with_its_place() {
        for (toml, path) in [
            ("steps = []", "scenario.session.steps"),
            ("steps = [{ page = 'd' }]", "scenario.session.steps[0].page"),
            ("steps = [{ page = 'a' }, {}]", "scenario.session.steps[1]"),
            (
                "steps = [{ page = 'a', steps = [{ page = 'b' }] }]",
                "scenario.session.steps[0]",
            ),
            (
                "steps = [{ loop = { x = 1 }, steps = [{ page = 'a' }] }]",
                "scenario.session.steps[0].loop",
            ),
            (
                "steps = [{ loop = { 1 = 0 }, steps = [{ page = 'a' }] }]",
                "scenario.session.steps[0].loop",
            ),
            (
                "steps = [{ loop = { 0 = 1 }, steps = [{ page = 'a' }] }]",
                "scenario.session.steps",
            ),
            (
                "steps = [{ choose = [] }]",
                "scenario.session.steps[0].choose",
            ),
            (
                "steps = [{ choose = [{ weight = 1, steps = [{ page = 'd' }] }] }]",
                "scenario.session.steps[0].choose[0].steps[0].page",
            ),
        ] {
            assert_eq!(steps(toml).unwrap_err().path, path, "{toml}");
        }
    }
}
