//! A value in JSON by its pointer (RFC 6901), without a tree of all that is there.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A pointer: the names and places on the way to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer(Box<[Box<str>]>);

impl Pointer {
    /// Reads a pointer such as `/data/0/id`.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self(Box::default()));
        }
        let path = text
            .strip_prefix('/')
            .ok_or_else(|| format!("`{text}` is not a JSON pointer: start with a slash"))?;
        Ok(Self(
            path.split('/')
                .map(|step| step.replace("~1", "/").replace("~0", "~").into())
                .collect(),
        ))
    }

    /// Returns the names and places on the path, the outermost first.
    pub fn steps(&self) -> &[Box<str>] {
        &self.0
    }

    /// Returns the value that it points to in `json`; `None` if there is no such value or `json` is not JSON.
    pub fn find(&self, json: &[u8]) -> Option<Value> {
        let mut reader = serde_json::Deserializer::from_slice(json);
        let found = Way(&self.0).deserialize(&mut reader).ok()?;
        reader.end().ok()?;
        found
    }
}

/// What is left of the way.
struct Way<'a>(&'a [Box<str>]);

impl<'de> DeserializeSeed<'de> for Way<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Self::Value, D::Error> {
        if self.0.is_empty() {
            return serde::Deserialize::deserialize(source).map(Some);
        }
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Way<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<Key<'de>>()? {
            if key.0 == *self.0[0] {
                found = map.next_value_seed(Way(&self.0[1..]))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let wanted = place_in_list(&self.0[0]);
        let (mut found, mut place) = (None, 0);
        loop {
            let more = if Some(place) == wanted {
                list.next_element_seed(Way(&self.0[1..]))?
                    .map(|value| found = value)
            } else {
                list.next_element::<IgnoredAny>()?.map(|_| ())
            };
            if more.is_none() {
                return Ok(found);
            }
            place += 1;
        }
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}

/// Returns the place in a list that a step names, as in RFC 6901 without leading zeros.
pub fn place_in_list(step: &str) -> Option<usize> {
    let place = step.parse::<usize>().ok();
    place.filter(|place| place.to_string() == step)
}

/// A name, copied only where it has escapes.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
pub mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Any JSON of few letters.
    pub fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-c/~\"]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-c/~01]{0,2}", inner, 0..4)
                    .prop_map(|map| json!(map)),
            ]
        })
    }

    proptest! {
        #[test]
        fn it_finds_what_a_tree_has(value in any_json(), path in prop::collection::vec("([a-c01]|~0|~1){0,2}", 0..4)) {
            let pointer = path.iter().fold(String::new(), |pointer, step| pointer + "/" + step);
            let found = Pointer::new(&pointer).unwrap().find(value.to_string().as_bytes());
            prop_assert_eq!(found.as_ref(), value.pointer(&pointer));
        }
    }

    #[test]
    fn what_is_no_json_has_no_values() {
        let pointer = Pointer::new("/a").unwrap();
        for text in ["", "{\"a\":1", "{\"a\":1}x", "\"a\"", "<html>"] {
            assert_eq!(pointer.find(text.as_bytes()), None, "{text}");
        }
        assert!(Pointer::new("a").is_err());
    }
}
