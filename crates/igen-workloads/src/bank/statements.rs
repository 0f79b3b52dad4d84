//! The statements of the transaction, written once for all databases: placeholders are `?`, in order,
//! all parameters are integers, and none depends on another statement's result.

use super::params::Form;

/// Named steps of the transaction; the first ones have the index of their statement.
pub(super) const OPERATIONS: &[&str] = &[
    "update_account",
    "select_balance",
    "update_teller",
    "update_branch",
    "insert_history",
    "commit",
    "call",
];

pub(super) const UPDATE_ACCOUNT: usize = 0;
pub(super) const SELECT_BALANCE: usize = 1;
pub(super) const UPDATE_TELLER: usize = 2;
pub(super) const UPDATE_BRANCH: usize = 3;
pub(super) const INSERT_HISTORY: usize = 4;
pub(super) const COMMIT: usize = 5;
pub(super) const CALL: usize = 6;

/// Prepared for `Form::Statements`. All transactions lock account, teller and branch in this order,
/// so that they wait for each other and never in a circle.
pub(super) const STATEMENTS: &[&str] = &[
    "UPDATE accounts SET a_balance = a_balance + ? WHERE a_id = ?",
    "SELECT a_balance FROM accounts WHERE a_id = ?",
    "UPDATE tellers SET t_balance = t_balance + ? WHERE t_id = ?",
    "UPDATE branches SET b_balance = b_balance + ? WHERE b_id = ?",
    "INSERT INTO history (h_a_id, h_t_id, h_b_id, h_amount, h_time, h_run, h_session, h_number, \
     h_filler) VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP, ?, ?, ?, 'abcdefghijklmn')",
];

/// Prepared for `Form::Procedure`.
pub(super) const CALLS: &[&str] = &["SELECT igen_bank(?, ?, ?, ?, ?, ?, ?)"];

/// What a session of this form prepares.
pub(super) fn of_form(form: Form) -> &'static [&'static str] {
    match form {
        Form::Statements => STATEMENTS,
        Form::Procedure => CALLS,
    }
}
