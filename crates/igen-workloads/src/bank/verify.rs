//! Checks before and after the load that the books balance.

use igen_engine::Failure;
use igen_job::JobError;
use igen_sql::session::Session;
use igen_sql::value::{Checksum, Value};

use super::generate::{ACCOUNTS_PER_BRANCH, Generator, Rows, branch_of};
use crate::place::Place;

/// Accounts whose rows are compared with the generator's, but for their balance.
const SAMPLE: i64 = 200;

const SAMPLE_STATEMENTS: &[&str] = &["SELECT a_id, a_b_id, a_filler FROM accounts WHERE a_id = ?"];
const SAMPLE_ACCOUNT: usize = 0;

/// Counts and sums in one statement, so that all of them are of the same moment, whoever else loads
/// the database.
const BOOKS: &str = "SELECT \
    accounts_in_all.n, tellers_in_all.n, branches_in_all.n, \
    accounts_in_all.total, tellers_in_all.total, branches_in_all.total, history_in_all.total, \
    uneven_branches.n \
    FROM (SELECT COUNT(*) AS n, SUM(a_balance) AS total FROM accounts) AS accounts_in_all, \
    (SELECT COUNT(*) AS n, SUM(t_balance) AS total FROM tellers) AS tellers_in_all, \
    (SELECT COUNT(*) AS n, SUM(b_balance) AS total FROM branches) AS branches_in_all, \
    (SELECT SUM(h_amount) AS total FROM history) AS history_in_all, \
    (SELECT COUNT(*) AS n FROM branches JOIN \
        (SELECT t_b_id, SUM(t_balance) AS total FROM tellers GROUP BY t_b_id) AS of_branch \
        ON b_id = t_b_id WHERE b_balance <> total) AS uneven_branches";

/// Checks counts, sums and a sample of the rows.
pub(super) async fn rows(place: &Place, generator: Generator) -> Result<(), JobError> {
    let session = place.database.long_session(SAMPLE_STATEMENTS).await;
    let mut session = session.map_err(|failure| place.unchecked(&failure))?;
    let wrong = match wrong_books(&mut session, generator).await {
        Ok(None) => wrong_sample(session, generator).await,
        other => other,
    };
    match wrong.map_err(|failure| place.unchecked(&failure))? {
        Some(text) => Err(place.wrong(&text)),
        None => Ok(()),
    }
}

async fn wrong_books(
    session: &mut Session,
    generator: Generator,
) -> Result<Option<String>, Failure> {
    let found = session.integers(BOOKS).await?;
    let Some(
        &[
            accounts,
            tellers,
            branches,
            in_accounts,
            in_tellers,
            in_branches,
            in_history,
            uneven,
        ],
    ) = found.as_deref()
    else {
        return Ok(Some(format!("cannot read the balances: {found:?}")));
    };
    let expected = (
        generator.accounts(),
        generator.tellers(),
        generator.branches(),
    );
    Ok(if (accounts, tellers, branches) != expected {
        Some(format!(
            "there are {accounts} accounts, {tellers} tellers and {branches} branches instead of {}, {} \
             and {}",
            expected.0, expected.1, expected.2
        ))
    } else if [in_accounts, in_tellers, in_branches] != [in_history; 3] {
        Some(format!(
            "the books do not balance: sum of accounts {in_accounts}, tellers {in_tellers}, branches \
             {in_branches}, history {in_history}"
        ))
    } else if uneven > 0 {
        Some(format!(
            "the books do not balance: {uneven} branches differ from their tellers"
        ))
    } else {
        None
    })
}

/// Compares accounts from the whole table with the generator's rows.
async fn wrong_sample(
    mut session: Session,
    generator: Generator,
) -> Result<Option<String>, Failure> {
    let mut filler = String::new();
    for index in 0..SAMPLE {
        let id = 1 + index * generator.accounts() / SAMPLE;
        generator.fill(Rows::Accounts, id, &mut filler);
        let mut expected = Checksum::default();
        expected.row(&[
            Value::Integer(id),
            Value::Integer(branch_of(id, ACCOUNTS_PER_BRANCH)),
            Value::Text(&filler),
        ]);
        if session.select(SAMPLE_ACCOUNT, &[id]).await?.checksum != expected {
            return Ok(Some(format!(
                "account {id} has changed since it was loaded"
            )));
        }
    }
    Ok(None)
}
