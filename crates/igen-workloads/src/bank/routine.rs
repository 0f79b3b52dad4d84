//! The stored function that does the whole transaction in one call: the same five statements between
//! BEGIN and COMMIT. Its language is the one thing that is written for each server.

use igen_engine::Failure;
use igen_job::JobError;
use igen_sql::server::{mysql, postgresql};

use crate::place::Place;

const EXISTS: &str = "SELECT COUNT(*) FROM information_schema.routines \
     WHERE routine_name = 'igen_bank' AND routine_schema = ";

const POSTGRESQL: &str = "\
CREATE FUNCTION igen_bank(account bigint, teller bigint, branch bigint, amount bigint, \
    run bigint, session bigint, number bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    balance bigint;
BEGIN
    UPDATE accounts SET a_balance = a_balance + amount WHERE a_id = account;
    SELECT a_balance INTO STRICT balance FROM accounts WHERE a_id = account;
    UPDATE tellers SET t_balance = t_balance + amount WHERE t_id = teller;
    UPDATE branches SET b_balance = b_balance + amount WHERE b_id = branch;
    INSERT INTO history (h_a_id, h_t_id, h_b_id, h_amount, h_time, h_run, h_session, h_number, h_filler)
        VALUES (account, teller, branch, amount, CURRENT_TIMESTAMP, run, session, number,
            'abcdefghijklmn');
    RETURN balance;
END $$";

/// A server with a binary log takes functions that change rows only if they call themselves
/// deterministic: with the same parameters this one does the same.
const MYSQL: &str = "\
CREATE FUNCTION igen_bank(account BIGINT, teller BIGINT, branch BIGINT, amount BIGINT, \
    run BIGINT, session BIGINT, number BIGINT) RETURNS BIGINT DETERMINISTIC MODIFIES SQL DATA
BEGIN
    DECLARE balance BIGINT;
    UPDATE accounts SET a_balance = a_balance + amount WHERE a_id = account;
    SELECT a_balance INTO balance FROM accounts WHERE a_id = account;
    UPDATE tellers SET t_balance = t_balance + amount WHERE t_id = teller;
    UPDATE branches SET b_balance = b_balance + amount WHERE b_id = branch;
    INSERT INTO history (h_a_id, h_t_id, h_b_id, h_amount, h_time, h_run, h_session, h_number, h_filler)
        VALUES (account, teller, branch, amount, CURRENT_TIMESTAMP, run, session, number,
            'abcdefghijklmn');
    RETURN balance;
END";

/// How a server creates the function, and what it calls the place where it lives.
fn dialect(engine: &str) -> Option<(&'static str, &'static str)> {
    match engine {
        postgresql::SCHEME => Some((POSTGRESQL, "current_schema()")),
        mysql::SCHEME => Some((MYSQL, "DATABASE()")),
        _ => None,
    }
}

/// Creates the function unless it is there.
pub(super) async fn create(place: &Place) -> Result<(), JobError> {
    let created = try_create(place).await;
    created.map_err(|failure| {
        let text = format!(
            "{}: cannot create the function igen_bank: {}",
            place.target, failure.reason
        );
        place.about(JobError::new(text).hint(
            "grant the user the right to create functions (MariaDB and MySQL with a binary log also need \
             log_bin_trust_function_creators = 1 or SUPER), or use form = \"statements\"",
        ))
    })
}

async fn try_create(place: &Place) -> Result<(), Failure> {
    let Some((create, here)) = dialect(place.database.engine()) else {
        return Ok(());
    };
    let mut session = place.database.session(&[]).await?;
    let found = session.integers(&format!("{EXISTS}{here}")).await?;
    if found.is_some_and(|found| found[0] > 0) {
        return Ok(());
    }
    session.query(create).await.map(|_| ())
}

/// Removes the function.
pub(super) async fn remove(place: &Place) -> Result<(), JobError> {
    if dialect(place.database.engine()).is_none() {
        return Ok(());
    }
    let remove = async {
        let mut session = place.database.session(&[]).await?;
        session.query("DROP FUNCTION IF EXISTS igen_bank").await
    };
    let removed = remove.await.map(|_| ());
    removed.map_err(|failure| {
        place.about(JobError::new(format!(
            "{}: cannot remove the function igen_bank: {}",
            place.target, failure.reason
        )))
    })
}
