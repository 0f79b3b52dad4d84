//! A connection together with its prepared statements, which refer to it.
//!
//! `rusqlite`'s own cache looks a statement up by its text, takes it out and puts it back: 0.5 µs in a
//! transaction of 12 µs.

use rusqlite::{Connection, Result, Statement};
use self_cell::self_cell;

/// What begins and ends transactions.
#[derive(Debug, Clone, Copy)]
pub(super) enum Control {
    Begin,
    BeginImmediate,
    Commit,
    Rollback,
}

const CONTROLS: [&str; 4] = ["BEGIN", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"];

type Statements<'a> = Vec<Statement<'a>>;

self_cell!(
    struct Both {
        owner: Connection,
        #[not_covariant]
        dependent: Statements,
    }
);

/// A connection and its statements: the controls first.
pub(super) struct Prepared(Both);

impl Prepared {
    pub(super) fn new(connection: Connection, statements: &[&str]) -> Result<Self> {
        let both = Both::try_new(connection, |connection| {
            let all = CONTROLS.iter().chain(statements);
            all.map(|sql| connection.prepare(sql)).collect()
        });
        both.map(Self)
    }

    pub(super) fn connection(&self) -> &Connection {
        self.0.borrow_owner()
    }

    pub(super) fn control(&mut self, control: Control) -> Result<()> {
        self.with(control as usize, |statement| {
            statement.raw_execute().map(|_| ())
        })
    }

    /// Lets `run` use the statement at `index`, with its parameters bound.
    #[inline]
    pub(super) fn run<T>(
        &mut self,
        index: usize,
        parameters: &[i64],
        run: impl FnOnce(&mut Statement<'_>) -> Result<T>,
    ) -> Result<T> {
        self.with(CONTROLS.len() + index, |statement| {
            for (position, parameter) in parameters.iter().enumerate() {
                statement.raw_bind_parameter(position + 1, parameter)?;
            }
            run(statement)
        })
    }

    #[inline]
    fn with<T>(&mut self, at: usize, run: impl FnOnce(&mut Statement<'_>) -> T) -> T {
        self.0
            .with_dependent_mut(|_, statements| run(&mut statements[at]))
    }
}
