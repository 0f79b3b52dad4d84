//! What the data tier has answered: only what nobody can change, so that it never is out of date.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;

/// Answers that are kept; then the oldest goes.
const MOST: usize = 10_000;

/// Answers by question.
#[derive(Default)]
pub struct Cache {
    answers: HashMap<String, Bytes>,
    oldest_first: VecDeque<String>,
    /// Questions that it knew.
    pub hits: u64,
    /// Questions that it did not.
    pub misses: u64,
}

impl Cache {
    /// The answer to a question, which is counted.
    pub fn get(&mut self, question: &str) -> Option<Bytes> {
        let found = self.answers.get(question).cloned();
        match found {
            Some(_) => self.hits += 1,
            None => self.misses += 1,
        }
        found
    }

    /// Keeps an answer.
    pub fn put(&mut self, question: &str, answer: Bytes) {
        if self.answers.insert(question.to_owned(), answer).is_some() {
            return; // two asked at the same time
        }
        self.oldest_first.push_back(question.to_owned());
        if self.oldest_first.len() > MOST
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.answers.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_and_forgets_the_oldest() {
        let mut cache = Cache::default();
        for number in 0..=MOST {
            cache.put(&number.to_string(), Bytes::from_static(b"x"));
            cache.put(&number.to_string(), Bytes::from_static(b"y"));
        }
        assert_eq!(cache.answers.len(), MOST);
        assert_eq!(cache.get("0"), None);
        assert_eq!(cache.get("1"), Some(Bytes::from_static(b"y")));
        assert_eq!((cache.hits, cache.misses), (1, 1));
    }
}
