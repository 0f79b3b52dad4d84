//! Types of the values of facts: what a reader of a recording can rely on.

use serde::Serialize;
use serde_json::Value;

/// The type of a fact's value, or of a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FactType {
    /// A number.
    Number,
    /// A whole number, 0 or more, that fits into 63 bits.
    Count,
    /// A text for people, or a word.
    Text,
    /// A text of whole numbers and ranges of them: `7 9-12`.
    Ranges,
    /// True or false.
    Boolean,
    /// A number, a boolean or a text, as the kernel or a server writes it.
    Setting,
    /// Any JSON value: nobody reads its parts.
    Any,
    /// A value that is null or absent if it is unknown.
    Maybe(&'static FactType),
    /// A list of values of one type.
    List(&'static FactType),
    /// A table with any names and values of one type.
    Table(&'static FactType),
    /// A table with these names; it may have others.
    Record(&'static [(&'static str, FactType)]),
}

impl FactType {
    /// Returns true if a value has this type.
    #[must_use]
    pub fn has(self, value: &Value) -> bool {
        match self {
            Self::Number => value.is_number(),
            Self::Count => value.as_u64().is_some_and(|count| count >> 63 == 0),
            Self::Text => value.is_string(),
            Self::Ranges => value.as_str().is_some_and(are_ranges),
            Self::Boolean => value.is_boolean(),
            Self::Setting => value.is_number() || value.is_string() || value.is_boolean(),
            Self::Any => true,
            Self::Maybe(of) => value.is_null() || of.has(value),
            Self::List(of) => value
                .as_array()
                .is_some_and(|values| values.iter().all(|each| of.has(each))),
            Self::Table(of) => value
                .as_object()
                .is_some_and(|table| table.values().all(|each| of.has(each))),
            Self::Record(parts) => value.as_object().is_some_and(|table| {
                parts
                    .iter()
                    .all(|(name, of)| of.has(table.get(*name).unwrap_or(&Value::Null)))
            }),
        }
    }

    /// Returns true if it is one value, without parts.
    #[must_use]
    pub fn is_scalar(self) -> bool {
        matches!(
            self,
            Self::Number | Self::Count | Self::Text | Self::Ranges | Self::Boolean | Self::Setting
        )
    }

    /// Returns the word for people: `number`, `list`, `table`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Number | Self::Count => "number",
            Self::Text | Self::Ranges => "text",
            Self::Boolean => "boolean",
            Self::Setting => "setting",
            Self::Any => "any",
            Self::Maybe(of) => of.word(),
            Self::List(_) => "list",
            Self::Table(_) | Self::Record(_) => "table",
        }
    }
}

fn are_ranges(text: &str) -> bool {
    text.split_ascii_whitespace().all(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        first.parse::<u64>().is_ok() && last.parse::<u64>().is_ok()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_has_a_type_or_not() {
        const TABLE: FactType = FactType::Record(&[
            ("name", FactType::Text),
            ("count", FactType::Maybe(&FactType::Count)),
        ]);
        for (of, value, has) in [
            (FactType::Number, json!(1.5), true),
            (FactType::Number, json!("1.5"), false),
            (FactType::Count, json!(7), true),
            (FactType::Count, json!(-7), false),
            (FactType::Count, json!(7.5), false),
            (FactType::Count, json!(u64::MAX), false),
            (FactType::Ranges, json!("7 9-12"), true),
            (FactType::Ranges, json!("7 to 12"), false),
            (FactType::Setting, json!(true), true),
            (FactType::Setting, json!([]), false),
            (FactType::Any, json!([{}]), true),
            (FactType::List(&FactType::Text), json!([]), true),
            (FactType::List(&FactType::Text), json!([1]), false),
            (FactType::Table(&FactType::Number), json!({"a": 1}), true),
            (
                FactType::Table(&FactType::Number),
                json!({"a": null}),
                false,
            ),
            (TABLE, json!({"name": "a", "more": []}), true),
            (TABLE, json!({"name": "a", "count": null}), true),
            (TABLE, json!({"name": "a", "count": "7"}), false),
            (TABLE, json!({"count": 7}), false),
            (TABLE, json!(["name"]), false),
        ] {
            assert_eq!(of.has(&value), has, "{of:?} {value}");
        }
    }

    #[test]
    fn a_type_is_written_as_json() {
        const OF: FactType = FactType::List(&FactType::Record(&[("a", FactType::Text)]));
        assert_eq!(json!(OF), json!({"list": {"record": [["a", "text"]]}}));
    }
}
