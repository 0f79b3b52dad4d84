//! In which order the requests of a page go out: each after one that stands above it, which makes a tree.

use igen_job::JobError;

use super::nearest::did_you_mean;
use crate::web::scenario;

/// Order of the requests of a page: the request that each one follows.
#[derive(Debug, PartialEq, Eq)]
pub struct Order {
    /// Place of the one before; that of the first one is its own.
    after: Box<[usize]>,
}

impl Order {
    /// Reads the order of requests with these names; `path` is the path of the page.
    pub fn new(
        requests: &[scenario::Request],
        names: &[String],
        path: &str,
    ) -> Result<Self, JobError> {
        let after = requests.iter().enumerate().map(|(place, request)| {
            let Some(name) = &request.after else {
                return Ok(place.saturating_sub(1));
            };
            let above = &names[..place];
            above.iter().position(|own| own == name).ok_or_else(|| {
                let at = format!("{path}.request[{place}].after");
                if names[place..].contains(name) {
                    JobError::at(at, format!("the request `{name}` is not above this one")).hint(
                        "use the name of a request further up, so that no request waits for itself",
                    )
                } else {
                    JobError::at(at, format!("this page has no request `{name}`"))
                        .hint(did_you_mean(name, above))
                }
            })
        });
        Ok(Self {
            after: after.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the requests that directly follow this one.
    pub fn followers(&self, place: usize) -> impl Iterator<Item = usize> {
        let below = self.after.iter().enumerate().skip(place + 1);
        below.filter_map(move |(own, after)| (*after == place).then_some(own))
    }

    /// Returns the maximum number of requests at the same time; 1 if each follows the one above.
    pub fn width(&self) -> usize {
        let is_last = |place: &usize| self.followers(*place).next().is_none();
        (0..self.after.len()).filter(is_last).count()
    }

    /// Returns the requests before this one, the nearest first.
    pub fn before(&self, place: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(place), |place| {
            (*place > 0).then(|| self.after[*place])
        })
        .skip(1)
    }

    /// Returns true if two requests may be under way together.
    pub fn are_parallel(&self, one: usize, other: usize) -> bool {
        let precedes = |one, other| self.before(other).any(|before| before == one);
        one != other && !precedes(one, other) && !precedes(other, one)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The order of requests a, b, c … that come after these.
    fn order(after: &[Option<&str>]) -> Result<Order, JobError> {
        let request = |after: Option<&str>| scenario::Request {
            after: after.map(str::to_owned),
            ..scenario::Request::default()
        };
        let requests: Vec<_> = after.iter().copied().map(request).collect();
        let names: Vec<_> = ('a'..).take(after.len()).map(String::from).collect();
        Order::new(&requests, &names, "page")
    }

    #[test]
    fn each_comes_after_the_one_above_or_another() {
        let chain = order(&[None, None, None]).unwrap();
        assert_eq!((chain.width(), chain.are_parallel(0, 2)), (1, false));
        assert_eq!(chain.before(2).collect::<Vec<_>>(), [1, 0]);
        let tree = order(&[None, Some("a"), Some("a"), None, Some("b")]).unwrap();
        assert_eq!(tree.width(), 2);
        assert_eq!(tree.followers(0).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(tree.before(4).collect::<Vec<_>>(), [1, 0]);
        assert!(tree.are_parallel(3, 4) && tree.are_parallel(1, 3) && !tree.are_parallel(2, 3));
    }

    #[test]
    fn none_waits_for_itself_or_for_nobody() {
        for (after, place, says) in [
            (&[Some("a"), None][..], 0, "is not above"),
            (&[None, Some("c"), None], 1, "is not above"),
            (&[None, Some("x")], 1, "this page has no request `x`"),
        ] {
            let error = order(after).unwrap_err();
            assert_eq!(error.path, format!("page.request[{place}].after"));
            assert!(error.text.contains(says), "{error}");
        }
    }
}
