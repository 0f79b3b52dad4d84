//! Any JSON in the place of a scenario: an error that says where, or a program that can be done. Never a panic, and
//! never without end.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use igen_http::check_header;
use proptest::prelude::*;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use super::{Program, Template};
use crate::web::render::Values;
use crate::web::scenario::Scenario;
use crate::web::variables::Variables;

const SHOP: &str = include_str!("../scenario/shop.toml");
/// Something of all that a scenario may say.
const ALL: &str = r#"
name = "all"
once = [{ page = "login" }]
secrets = { password = "env:IGEN_PASSWORD" }
defaults = { headers = { A = "{user.id}" }, compression = ["gzip"], timeout = "5s", redirects = 2, expect = { status = 200 } }
browser = { connections = 3, keep = "all", idle_close = "65s", cache = false }
data.people = { file = "people.csv", pick = "zipf", text = "name,age\nann,7\nbob,8\n" }
session = { on_failure = "next page", steps = [
  { page = "find" },
  { loop = { 0 = 1, 3 = 2 }, steps = [{ page = "use" }] },
  { choose = [{ weight = 1, steps = [{ page = "use" }] }, { weight = 2, steps = [] }] },
] }
[[page]]
name = "login"
request = [{ post = "/login", form = { a = "{people.name}", b = "{secret.password}" } }]
[[page]]
name = "find"
think = "exponential:8s"
resource = [{ get = "/a.css" }, { get = "/b.css" }]
request = [
  { name = "a", get = "/{now.ms}", extract = { x = { json = "/a/0" }, y = { regex = "a(b)", random = true } } },
  { name = "b", put = "/b", json = '{"x": "{x}"}', after = "a", timeout = 2, extract = { z = { cookie = "c" } } },
  { name = "c", patch = "/c", body = "{random.1-9}", after = "a", headers = { X = "{y}" } },
]
[[page]]
name = "use"
think = { uniform = [1, "2s"] }
request = [{ head = "/{x}/{z}?y={random.uuid}", expect = { header = { a = "b" }, json = { "/ok" = true }, max_bytes = "1MiB" } }]
"#;

/// How many pages of each program are done.
const PAGES: usize = 100;

/// What a place of a scenario may have instead.
fn other() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[a-c/{}.:;=0-9-]{0,12}",
        prop::sample::select(vec![
            "",
            "/",
            "//",
            "http://a/",
            "{x}",
            "{z}",
            "{people.name}",
            "{secret.password}",
            "{random.9-1}",
            "{random.0-18446744073709551615}",
            "all",
            "login",
            "find",
            "a",
            "b",
            "c",
            "GET /",
            "exponential:0s",
            "uniform:9s,1s",
            "uniform:",
            "1e999",
            "-1s",
            "(",
            "a{1000}{1000}",
            "env:HOME",
            "file:/dev/zero",
            "x\ny",
            "a,b\n1\n",
            "\u{0}",
            "é",
        ])
        .prop_map(str::to_owned),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0..12_i64).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-c0-9]{0,2}|page|get|steps|loop|weight", inner, 0..3)
                .prop_map(|map| json!(map)),
        ]
    })
}

/// The place of that number in a tree, counted from its root.
fn place(tree: &mut Value, number: usize) -> &mut Value {
    fn count(tree: &Value) -> usize {
        1 + match tree {
            Value::Array(list) => list.iter().map(count).sum::<usize>(),
            Value::Object(map) => map.values().map(count).sum(),
            _ => 0,
        }
    }
    let mut number = number % count(tree);
    if number == 0 {
        return tree;
    }
    number -= 1;
    let inner: Vec<&mut Value> = match tree {
        Value::Array(list) => list.iter_mut().collect(),
        Value::Object(map) => map.values_mut().collect(),
        _ => unreachable!("it has more than itself"),
    };
    for each in inner {
        let within = count(each);
        if number < within {
            return place(each, number);
        }
        number -= within;
    }
    unreachable!("the number is below the sum")
}

/// Something else there, once more, or away.
fn change(place: &mut Value, what: u8, other: Value) {
    match (what, &mut *place) {
        (0, Value::Array(list)) if !list.is_empty() => list.push(list[0].clone()),
        (1, Value::Array(list)) => drop(list.pop()),
        (1, Value::Object(map)) => {
            if let Some(key) = map.keys().next().cloned() {
                map.remove(&key);
            }
        }
        (2, Value::Object(map)) => {
            if let Some(key) = map.keys().next_back().cloned() {
                map.insert(key, other);
            }
        }
        _ => *place = other,
    }
}

fn written(program: &Program, template: &Template, values: &mut Values) -> Vec<u8> {
    let mut output = Vec::new();
    values.write(program, template, &mut output).unwrap();
    output
}

/// Does pages as users do, as far as that needs no server: whatever values there are, a request is one request.
fn try_out(program: &mut Program, scenario: &Scenario, value: &[u8]) {
    program.secrets = vec!["hush".to_owned(); scenario.secrets.len()];
    let mut values = Values {
        id: 1,
        random: Xoshiro256PlusPlus::seed_from_u64(1),
        variables: Variables::new(program.variables.len()),
        rows: vec![0; program.tables.len()].into(),
    };
    for slot in 0..program.variables.len() {
        values.variables.set(slot, value);
    }
    let mut position = program.steps.begin();
    for _ in 0..PAGES {
        let Some(page) = program.steps.next(&mut position, &mut values.random) else {
            return;
        };
        let page = &program.pages[page];
        for table in &page.tables {
            program.tables[*table].draw(&mut values.rows[*table], &mut values.random);
        }
        assert!(page.width >= 1);
        for request in &page.requests {
            let path = written(program, &request.path, &mut values);
            assert!(
                path.starts_with(b"/") && path.iter().all(u8::is_ascii_graphic),
                "{path:?}"
            );
            let head = String::from_utf8_lossy(&written(program, &request.headers, &mut values))
                .into_owned();
            for line in head
                .strip_suffix("\r\n")
                .unwrap_or(&head)
                .split("\r\n")
                .filter(|it| !it.is_empty())
            {
                let (name, value) = line.split_once(": ").unwrap();
                check_header(name, value).unwrap();
            }
            if let Some(body) = &request.body {
                written(program, body, &mut values);
            }
        }
    }
}

proptest! {
    #[test]
    fn any_json_is_an_error_with_its_place_or_a_program(
        base in prop::sample::select(vec![SHOP, ALL]),
        changes in prop::collection::vec((0..400_usize, 0..5_u8, other()), 0..4),
        value in prop::collection::vec(any::<u8>(), 0..8),
    ) {
        let mut tree: Value = toml::from_str(base).unwrap();
        for (number, what, other) in changes {
            change(place(&mut tree, number), what, other);
        }
        if let Ok(scenario) = serde_json::from_value::<Scenario>(tree) {
            match Program::new(&scenario, 2) {
                Ok(mut program) => try_out(&mut program, &scenario, &value),
                Err(error) => {
                    prop_assert!(error.path.starts_with("scenario."), "{}", error);
                    prop_assert!(!error.text.is_empty());
                }
            }
        }
    }
}

#[test]
fn all_that_a_scenario_may_say_can_be_done() {
    let scenario: Scenario = toml::from_str(ALL).unwrap();
    let mut program = Program::new(&scenario, 2).unwrap();
    try_out(&mut program, &scenario, b"\r\nX: y\0\xff");
    let pages: BTreeSet<_> = program.pages.iter().map(|page| page.width).collect();
    assert_eq!(pages, BTreeSet::from([1, 2]));
}

#[test]
fn long_lists_are_refused_in_little_time() {
    let requests: Vec<_> = (0..100_000)
        .map(|path| json!({"get": format!("/{path}")}))
        .collect();
    let long = "a".repeat(200_000);
    for (page, says) in [
        (json!({"name": "a", "request": requests}), "more than 256"),
        (
            json!({"name": "a", "request": [{"get": format!("/{{{long}}}"), "extract": {long.clone() + "b": {"json": ""}}}]}),
            "unknown name",
        ),
    ] {
        let tree = json!({"session": {"steps": [{"page": "a"}]}, "page": [page]});
        let scenario: Scenario = serde_json::from_value(tree).unwrap();
        let error = Program::new(&scenario, 2).err().unwrap();
        assert!(error.text.contains(says), "{}", &error.text[..100]);
    }
}
