//! A total that somebody else counts and may begin anew.

/// Seconds that only grow.
#[derive(Debug, Default)]
pub(super) struct Spent {
    /// Seconds of those that were counted before the present count began.
    before_s: f64,
    last_s: f64,
}

impl Spent {
    /// The total, given the present count; None where it cannot be read.
    pub(super) fn now(&mut self, count_s: Option<f64>) -> f64 {
        if let Some(now_s) = count_s {
            if now_s < self.last_s {
                self.before_s += self.last_s;
            }
            self.last_s = now_s;
        }
        self.before_s + self.last_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_begins_anew_is_added() {
        let mut spent = Spent::default();
        let totals: Vec<f64> = [Some(1.0), Some(3.0), None, Some(2.0), Some(2.5)]
            .into_iter()
            .map(|count| spent.now(count))
            .collect();
        assert_eq!(totals, [1.0, 3.0, 3.0, 5.0, 5.5]);
    }
}
