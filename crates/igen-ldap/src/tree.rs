//! Entries added and deleted by the thousand, with many requests in flight.

use std::io::{Result as IoResult, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use igen_engine::ProgressReporter;
use igen_job::JobError;
use igen_net::Bounds;

use crate::connection::{Connection, SearchResult};
use crate::directory::Directory;
use crate::error::{ALREADY_EXISTS, Error, NO_SUCH_OBJECT, SIZE_LIMIT_EXCEEDED};
use crate::request::{self, Attribute, Filter, Scope, SearchRequest};
use crate::response::{Body, Entry, Outcome};
use crate::sent::RequestKind;

/// Requests in flight: what a server works on at the same time, and more waiting.
const IN_FLIGHT: u64 = 64;
/// Entries that are deleted between two looks for more.
const DELETED_AT_ONCE: u32 = 1_000;
/// An attribute that no entry has: names alone are returned.
const NO_ATTRIBUTES: &[&str] = &["1.1"];

/// An entry that is to be added; its buffers are used again for the next one.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct NewEntry {
    /// Distinguished name.
    pub dn: String,
    /// Names and values.
    pub attributes: Vec<(&'static str, Vec<String>)>,
}

impl NewEntry {
    fn attributes(&self) -> impl Iterator<Item = Attribute<'_>> {
        self.attributes
            .iter()
            .map(|(name, values)| (*name, values.as_slice()))
    }

    /// Writes it as LDIF (RFC 2849), with an empty line after it.
    pub fn write_ldif(&self, output: &mut impl Write) -> IoResult<()> {
        write_line(output, "dn", &self.dn)?;
        for (name, values) in self.attributes() {
            for value in values {
                write_line(output, name, value)?;
            }
        }
        output.write_all(b"\n")
    }
}

fn write_line(output: &mut impl Write, name: &str, value: &str) -> IoResult<()> {
    let plain = value.bytes().all(|byte| (b' '..0x7f).contains(&byte))
        && !value.starts_with([' ', ':', '<'])
        && !value.ends_with(' ');
    output.write_all(name.as_bytes())?;
    if plain {
        output.write_all(b": ")?;
        output.write_all(value.as_bytes())?;
    } else {
        output.write_all(b":: ")?;
        output.write_all(STANDARD.encode(value).as_bytes())?;
    }
    output.write_all(b"\n")
}

impl Connection {
    /// Like `search`, but finds nothing where there is no such base, and no more than `size_limit`; an error is about
    /// the server at `place`.
    pub async fn find<A: AsRef<str>>(
        &mut self,
        place: &str,
        search: &SearchRequest<'_, A>,
        look: impl FnMut(Entry<'_>),
    ) -> Result<SearchResult, JobError> {
        self.try_find(search, look)
            .await
            .map_err(|error| error.job_error(place))
    }

    async fn try_find<A: AsRef<str>>(
        &mut self,
        search: &SearchRequest<'_, A>,
        mut look: impl FnMut(Entry<'_>),
    ) -> Result<SearchResult, Error> {
        let mut entries = 0;
        let found = self.try_search(search, |entry| {
            entries += 1;
            look(entry);
        });
        match found.await {
            Err(error)
                if error.code() == Some(NO_SUCH_OBJECT)
                    || (error.code() == Some(SIZE_LIMIT_EXCEEDED) && search.size_limit > 0) =>
            {
                Ok(SearchResult {
                    entries,
                    ..SearchResult::default()
                })
            }
            found => found,
        }
    }

    /// Adds an entry unless there is one of that name; `false` where there was.
    async fn add_missing(&mut self, entry: &NewEntry) -> Result<bool, Error> {
        let add =
            |output: &mut Vec<u8>, id, _| request::add(output, id, &entry.dn, entry.attributes());
        match self.send_all(RequestKind::Add, 1, add, |_| ()).await {
            Err(error) if error.code() == Some(ALREADY_EXISTS) => Ok(false),
            added => added.map(|()| true),
        }
    }

    /// Sends `count` requests that `write` writes, with many of them in flight, and tells `done` how
    /// many have succeeded.
    async fn send_all(
        &mut self,
        kind: RequestKind,
        count: u64,
        mut write: impl FnMut(&mut Vec<u8>, u32, u64),
        mut done: impl FnMut(u64),
    ) -> Result<(), Error> {
        let (mut sent, mut answered) = (0, 0);
        let mut bounds = Bounds::default();
        while answered < count {
            // In batches, so that one system call serves many.
            if sent < count && sent - answered <= IN_FLIGHT / 2 {
                while sent < count && sent - answered < IN_FLIGHT {
                    let id = self.next_id(kind);
                    write(self.stream.output(), id, sent);
                    sent += 1;
                }
                self.stream.flush().await?;
            }
            match self.receive().await?.0.body {
                Body::Done(Outcome { code: 0, .. }) => {
                    answered += 1;
                    done(answered);
                }
                Body::Done(outcome) => return Err(Error::of(&outcome)),
                _ => bounds.aside().map_err(Error::Protocol)?,
            }
        }
        Ok(())
    }
}

impl Directory {
    /// A connection as the user of the target, for `prepare` and the like.
    pub async fn administration(&self) -> Result<Connection, JobError> {
        self.try_bound()
            .await
            .map_err(|error| self.job_error(&error))
    }

    /// Adds an entry unless there is one of that name; `false` where there was.
    pub async fn add_missing(
        &self,
        connection: &mut Connection,
        entry: &NewEntry,
    ) -> Result<bool, JobError> {
        let added = connection.add_missing(entry).await;
        added.map_err(|error| self.job_error(&error))
    }

    /// Adds `count` entries without children, which `make` makes from their numbers, counted from 0.
    pub async fn add_all(
        &self,
        connection: &mut Connection,
        count: u64,
        mut make: impl FnMut(u64, &mut NewEntry),
        progress: &ProgressReporter,
    ) -> Result<(), JobError> {
        let mut entry = NewEntry::default();
        let write = |output: &mut Vec<u8>, id, number| {
            make(number, &mut entry);
            request::add(output, id, &entry.dn, entry.attributes());
        };
        let done = |done| progress.report("adding entries", done, count, "entries");
        let added = connection
            .send_all(RequestKind::Add, count, write, done)
            .await;
        added.map_err(|error| self.job_error(&error))
    }

    /// Replaces the values of an attribute.
    pub async fn replace(
        &self,
        connection: &mut Connection,
        dn: &str,
        attribute: &str,
        values: &[&[u8]],
    ) -> Result<(), JobError> {
        let replaced = connection
            .try_modify(dn.as_bytes(), attribute, values)
            .await;
        replaced.map(|_| ()).map_err(|error| self.job_error(&error))
    }

    /// Deletes an entry and what is right below it, as far as it is there.
    pub async fn remove(&self, connection: &mut Connection, dn: &str) -> Result<(), JobError> {
        let removed = remove(connection, dn).await;
        removed.map_err(|error| self.job_error(&error))
    }
}

async fn remove(connection: &mut Connection, dn: &str) -> Result<(), Error> {
    let search = SearchRequest {
        base: dn.as_bytes(),
        scope: Scope::Subtree,
        filter: Filter::Present("objectClass"),
        attributes: NO_ATTRIBUTES,
        size_limit: DELETED_AT_ONCE,
    };
    loop {
        let mut names: Vec<Vec<u8>> = Vec::new();
        let look = |entry: Entry<'_>| names.push(entry.dn.to_vec());
        let found = connection.try_find(&search, look).await?;
        // The entry itself goes last, alone.
        names.retain(|name| !name.eq_ignore_ascii_case(dn.as_bytes()) || found.entries == 1);
        if names.is_empty() {
            return Ok(());
        }
        let delete = |output: &mut Vec<u8>, id, number| {
            let number = usize::try_from(number).unwrap_or(usize::MAX);
            request::delete(output, id, &names[number]);
        };
        connection
            .send_all(RequestKind::Delete, names.len() as u64, delete, |_| ())
            .await?;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ldif_is_plain_where_it_can_be() {
        let text = |text: &str| vec![text.to_owned()];
        let entry = NewEntry {
            dn: "o=x".to_owned(),
            attributes: vec![
                ("o", text("x")),
                ("sn", vec!["Müller".to_owned(), " y".to_owned()]),
                ("userPassword", text("{SSHA}a=")),
            ],
        };
        let mut output = Vec::new();
        entry.write_ldif(&mut output).unwrap();
        assert_eq!(
            String::from_utf8(output).unwrap(),
            "dn: o=x\no: x\nsn:: TcO8bGxlcg==\nsn:: IHk=\nuserPassword: {SSHA}a=\n\n"
        );
    }
}
