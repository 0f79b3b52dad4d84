//! Bodies that are longer than what is kept of them: texts, form fields and JSON are looked for while they pass by, so
//! that how long an answer is makes no difference. Only expressions look no further than into their begin.

use igen_engine::Reason;
use std::any::Any;
use std::io::{self, ErrorKind, Write};

use flate2::write::MultiGzDecoder;
use igen_http::{LongBodies, LongBody};
use memchr::memmem::Finder;
use serde_json::Value;

use super::extract::Extract;
use super::field::input;
use super::pointer::Pointer;
use super::text::Text;
use super::walk::Walk;
use crate::web::body::{Coding, KEPT_BYTES, NO_GZIP, OTHER_CODING, coding, text_of, unescaped};

/// Longest value, and longest element that one is in.
pub const MOST_VALUE_BYTES: usize = 512 * 1024;
/// A body that is so much longer than it came.
const TOO_LONG: &str = "a compressed body of more than max_bytes";

/// What a request looks for in long bodies.
#[derive(Debug, Clone)]
pub struct Sought {
    texts: Box<[Finder<'static>]>,
    json: Box<[Pointer]>,
    /// By the place of the value among those of the request; `None` where the body as a whole is not looked at.
    values: Box<[Option<Place>]>,
    /// True if an expression looks into the begin.
    has_expression: bool,
    /// Longest body when it is not compressed any more.
    most_bytes: u64,
    /// So much of what has passed is looked at once more together with what comes next.
    again_bytes: usize,
}

/// Where a value is.
#[derive(Debug, Clone)]
enum Place {
    Field(Box<Finder<'static>>),
    Json(Pointer),
}

/// What was found in a long body; by the places of texts, JSON and values in their request.
#[derive(Debug, Default, PartialEq)]
pub struct Found {
    texts: Vec<bool>,
    json: Vec<Option<Value>>,
    values: Vec<Option<Vec<u8>>>,
    /// As far as expressions look.
    begin: Vec<u8>,
}

impl Sought {
    /// What these checks and values need of bodies that have at most so many bytes.
    pub fn new(
        texts: &[Text],
        json: &[(Pointer, Value)],
        extracts: &[(usize, Extract)],
        most_bytes: u64,
    ) -> Self {
        let texts: Box<[_]> = texts.iter().map(|it| it.finder().clone()).collect();
        let longest = texts.iter().map(|text| text.needle().len()).max();
        let place = |extract: &Extract| match extract {
            Extract::Input(name) => Some(Place::Field(Box::new(name.clone()))),
            Extract::Json(pointer) => Some(Place::Json(pointer.clone())),
            _ => None,
        };
        let has_expression = |extract: &Extract| extract.reads_body() && !extract.reads_all();
        Self {
            json: json.iter().map(|(pointer, _)| pointer.clone()).collect(),
            values: extracts.iter().map(|(_, extract)| place(extract)).collect(),
            has_expression: extracts.iter().any(|(_, extract)| has_expression(extract)),
            most_bytes,
            again_bytes: longest.unwrap_or(0).max(MOST_VALUE_BYTES),
            texts,
        }
    }

    /// What is found in a body that was kept, and may have become long only now.
    pub fn find(&self, head: &[u8], body: &[u8]) -> Result<Found, Reason> {
        let mut passing = Passing::new(self.clone(), head);
        passing.pass(body);
        passing.end()
    }
}

impl LongBodies for Sought {
    fn begin(&self, head: &[u8], kept: &[u8]) -> Box<dyn LongBody> {
        let mut passing = Box::new(Passing::new(self.clone(), head));
        passing.pass(kept);
        passing
    }
}

/// What was found in the long body that has passed by, if one has.
pub fn found(body: Option<Box<dyn LongBody>>) -> Option<Result<Found, Reason>> {
    let body: Box<dyn Any> = body?;
    let passing = body.downcast::<Passing>().ok()?;
    Some(passing.end())
}

impl Found {
    /// Returns true if it has the text of that number.
    pub fn has_text(&self, number: usize) -> bool {
        self.texts[number]
    }

    /// The JSON at the pointer of that number.
    pub fn json(&self, number: usize) -> Option<&Value> {
        self.json[number].as_ref()
    }

    /// The value of that number.
    pub fn value(&self, number: usize) -> Option<&[u8]> {
        self.values[number].as_deref()
    }

    /// Its begin, as far as expressions look.
    pub fn begin(&self) -> &[u8] {
        &self.begin
    }
}

/// A long body that passes by, and how it is compressed.
enum Passing {
    Plain(Box<Looker>),
    Gzip {
        inflater: Box<MultiGzDecoder<Looker>>,
        fault: Option<Reason>,
    },
    Unknown,
}

impl Passing {
    fn new(sought: Sought, head: &[u8]) -> Self {
        let looker = Looker::new(sought);
        match coding(head) {
            Coding::None => Self::Plain(Box::new(looker)),
            Coding::Gzip => Self::Gzip {
                inflater: Box::new(MultiGzDecoder::new(looker)),
                fault: None,
            },
            Coding::Other => Self::Unknown,
        }
    }

    fn end(self) -> Result<Found, Reason> {
        match self {
            Self::Plain(looker) => Ok(looker.end()),
            Self::Gzip {
                fault: Some(fault), ..
            } => Err(fault),
            Self::Gzip { inflater, .. } => match inflater.finish() {
                Ok(looker) => Ok(looker.end()),
                Err(error) => Err(reason(&error)),
            },
            Self::Unknown => Err(Reason::wrong(OTHER_CODING)),
        }
    }
}

impl LongBody for Passing {
    fn pass(&mut self, piece: &[u8]) {
        match self {
            Self::Plain(looker) => looker.look(piece),
            Self::Gzip { inflater, fault } if fault.is_none() => {
                *fault = inflater.write_all(piece).err().map(|error| reason(&error));
            }
            Self::Gzip { .. } | Self::Unknown => (),
        }
    }
}

fn reason(error: &io::Error) -> Reason {
    match error.kind() {
        ErrorKind::FileTooLarge => Reason::wrong(TOO_LONG),
        _ => Reason::wrong(NO_GZIP),
    }
}

/// Looks at a body, piece by piece, and keeps what it finds.
struct Looker {
    sought: Sought,
    json: Vec<Walk>,
    /// Those of the values that are in JSON.
    values: Vec<Option<Walk>>,
    found: Found,
    /// What texts and fields are looked for in; the first half was looked at already, unless nothing was.
    window: Vec<u8>,
    bytes: u64,
}

impl Looker {
    fn new(sought: Sought) -> Self {
        let walk = |pointer: &Pointer| Walk::new(pointer, MOST_VALUE_BYTES);
        let value = |place: &Option<Place>| match place {
            Some(Place::Json(pointer)) => Some(walk(pointer)),
            _ => None,
        };
        Self {
            json: sought.json.iter().map(walk).collect(),
            values: sought.values.iter().map(value).collect(),
            found: Found {
                texts: vec![false; sought.texts.len()],
                values: vec![None; sought.values.len()],
                ..Found::default()
            },
            window: Vec::new(),
            bytes: 0,
            sought,
        }
    }

    /// The next piece.
    fn look(&mut self, mut piece: &[u8]) {
        self.bytes += piece.len() as u64;
        for walk in self.json.iter_mut().chain(self.values.iter_mut().flatten()) {
            walk.pass(piece);
        }
        if self.sought.has_expression {
            let room = KEPT_BYTES - self.found.begin.len();
            let kept = &piece[..piece.len().min(room)];
            self.found.begin.extend_from_slice(kept);
        }
        let again = self.sought.again_bytes;
        while !piece.is_empty() && self.wants_window() {
            let room = 2 * again - self.window.len();
            let (now, rest) = piece.split_at(piece.len().min(room));
            self.window.extend_from_slice(now);
            piece = rest;
            if self.window.len() == 2 * again {
                self.look_into_window();
                self.window.drain(..again);
            }
        }
    }

    /// Returns true if a text or a field has not been found yet.
    fn wants_window(&self) -> bool {
        let is_field = |(place, value): (&Option<Place>, &Option<Vec<u8>>)| {
            matches!(place, Some(Place::Field(_))) && value.is_none()
        };
        let mut values = self.sought.values.iter().zip(&self.found.values);
        self.found.texts.contains(&false) || values.any(is_field)
    }

    fn look_into_window(&mut self) {
        for (text, has) in self.sought.texts.iter().zip(&mut self.found.texts) {
            *has = *has || text.find(&self.window).is_some();
        }
        for (place, value) in self.sought.values.iter().zip(&mut self.found.values) {
            if let (Some(Place::Field(name)), None) = (place, &value)
                && let Some(first) = name.find(&self.window)
            {
                let own = input(&self.window, name, first);
                *value = own.map(|own| unescaped(own).into_owned());
            }
        }
    }

    fn end(mut self) -> Found {
        self.look_into_window();
        for (walk, value) in self.values.into_iter().zip(&mut self.found.values) {
            if let Some(walk) = walk {
                *value = walk.end().map(text_of);
            }
        }
        self.found.json = self.json.into_iter().map(Walk::end).collect();
        self.found
    }
}

impl Write for Looker {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.bytes + piece.len() as u64 > self.sought.most_bytes {
            return Err(ErrorKind::FileTooLarge.into());
        }
        self.look(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::web::program::Program;
    use crate::web::scenario;

    const PLAIN: &[u8] = b"HTTP/1.1 200 OK\r\n\r\n";
    const OTHER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n";
    const GZIP: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";

    /// What a request looks for that says this.
    fn sought(request: &str) -> Sought {
        let text = format!(
            "session = {{ steps = [{{ page = 'p' }}] }}\n[[page]]\nname = 'p'\n[[page.request]]\nget = '/'\n{request}"
        );
        let scenario: scenario::Scenario = toml::from_str(&text).unwrap();
        let program = Program::new(&scenario, 1).unwrap();
        let request = &program.pages[0].requests[0];
        Sought::clone(&request.sought)
    }

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    /// The values, in the order of their names; a dash for what is not there.
    fn values(found: &Found) -> Vec<&str> {
        let text = |value| std::str::from_utf8(value).unwrap();
        let values = found.values.iter();
        values
            .map(|value| value.as_deref().map_or("-", text))
            .collect()
    }

    #[test]
    fn a_page_is_looked_at_to_its_end_compressed_or_not() {
        let wants = "expect = { contains = ['at the end', 'nowhere'] }\nextract = { near = { input = 'near' }, \
                     far = { input = 'far' }, id = { regex = 'id=(\\d+)' } }";
        let hay = "<p>hay</p> ".repeat(KEPT_BYTES / 4);
        let page = format!(
            "<input name=near value='a&amp;b'>id=7{hay}<meta name='far' content=\"c\">at the end"
        );
        let sought = sought(wants);
        for (head, body) in [
            (PLAIN, page.clone().into_bytes()),
            (GZIP, gzip(page.as_bytes())),
        ] {
            let found = sought.find(head, &body).unwrap();
            assert_eq!(found.texts, [true, false]);
            // Those called far, id, near.
            assert_eq!(values(&found), ["c", "-", "a&b"]);
            assert_eq!(found.begin(), &page.as_bytes()[..KEPT_BYTES]);
        }
    }

    #[test]
    fn json_has_its_values_wherever_they_are() {
        let wants = "expect = { json = { '/ok' = true } }\nextract = { id = { json = '/id' }, last = { json = '/rows/50000/n' } }";
        let rows: Vec<_> = (0..=50_000)
            .map(|n| json!({"n": n, "text": "of some length"}))
            .collect();
        let body = json!({"id": 7, "ok": true, "rows": rows}).to_string();
        assert!(body.len() > KEPT_BYTES);
        let sought = sought(wants);
        for (head, bytes) in [
            (PLAIN, body.clone().into_bytes()),
            (GZIP, gzip(body.as_bytes())),
        ] {
            let found = sought.find(head, &bytes).unwrap();
            assert_eq!(found.json(0), Some(&json!(true)));
            assert_eq!(values(&found), ["7", "50000"]);
        }
        let cut = sought
            .find(PLAIN, &body.as_bytes()[..body.len() - 1])
            .unwrap();
        assert_eq!(values(&cut), ["-", "-"]);
    }

    #[test]
    fn what_is_wrong_with_a_compressed_body_is_told() {
        let mut sought = sought("expect = { contains = 'needle' }");
        let body = gzip(&vec![b'a'; 1_000]);
        for (head, body, reason) in [
            (GZIP, b"text".to_vec(), NO_GZIP),
            (GZIP, body[..body.len() - 1].to_vec(), NO_GZIP),
            (OTHER, body.clone(), OTHER_CODING),
        ] {
            assert_eq!(sought.find(head, &body), Err(Reason::wrong(reason)));
        }
        sought.most_bytes = 999;
        assert_eq!(sought.find(GZIP, &body), Err(Reason::wrong(TOO_LONG)));
    }

    proptest! {
        #[test]
        fn how_a_page_arrives_makes_no_difference(
            pieces in prop::collection::vec(prop::sample::select(vec!["needle", "nee", "<input name=a value=1>", "<p>", "<meta content='23' name='a'>", "<input name=b>"]), 0..60),
            lengths in prop::collection::vec(1_usize..90, 1..9),
        ) {
            let mut sought = sought("expect = { contains = 'needle' }\nextract.a = { input = 'a' }");
            sought.again_bytes = 64;
            let page = pieces.concat();
            let (mut looker, mut rest) = (Looker::new(sought), page.as_bytes());
            for length in lengths.iter().cycle() {
                let (piece, after) = rest.split_at((*length).min(rest.len()));
                looker.look(piece);
                rest = after;
                if rest.is_empty() {
                    break;
                }
            }
            let found = looker.end();
            prop_assert_eq!(found.has_text(0), page.contains("needle"));
            let name = Finder::new("a");
            let first = name.find(page.as_bytes());
            let whole = first.and_then(|first| input(page.as_bytes(), &name, first));
            prop_assert_eq!(found.value(0), whole);
        }
    }
}
