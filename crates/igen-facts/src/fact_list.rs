//! Collects the facts of one subject.

use igen_job::fact::{Declared, Fact};
use serde_json::Value;

/// Facts of one subject.
#[derive(Default)]
pub(crate) struct FactList {
    facts: Vec<Fact>,
}

impl FactList {
    /// Adds a fact; an unknown value is left out.
    pub(crate) fn add(&mut self, fact: &Declared, value: Option<impl Into<Value>>) {
        self.facts.extend(value.map(|value| fact.is(value)));
    }

    /// Adds the fact of a family about `part`; an unknown value is left out.
    pub(crate) fn add_of(&mut self, fact: &Declared, part: &str, value: Option<impl Into<Value>>) {
        self.facts.extend(value.map(|value| fact.of(part, value)));
    }

    pub(crate) fn into_facts(self) -> Vec<Fact> {
        self.facts
    }
}

/// Returns the value that all parts of the machine have, or a list of the different values.
pub(crate) fn distinct<T: Into<Value> + PartialEq>(
    values: impl IntoIterator<Item = T>,
) -> Option<Value> {
    let mut different: Vec<T> = Vec::new();
    for value in values {
        if !different.contains(&value) {
            different.push(value);
        }
    }
    match different.len() {
        0 => None,
        1 => different.pop().map(Into::into),
        _ => Some(different.into_iter().map(Into::into).collect()),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use igen_job::facts;
    use serde_json::json;

    use super::*;

    /// The facts as one JSON object, for comparison.
    pub(crate) fn object(facts: Vec<Fact>) -> Value {
        facts
            .into_iter()
            .map(|fact| (fact.name, fact.value))
            .collect()
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let mut list = FactList::default();
        list.add(&facts::CPU_CORES, Some(4));
        list.add(&facts::CPU_MODEL, None::<String>);
        assert_eq!(object(list.into_facts()), json!({"cpu.cores": 4}));
    }

    #[test]
    fn different_values_become_a_list() {
        assert_eq!(distinct([3, 3, 3]), Some(json!(3)));
        assert_eq!(distinct([3, 5, 3]), Some(json!([3, 5])));
        assert_eq!(distinct(Vec::<u64>::new()), None);
    }
}
