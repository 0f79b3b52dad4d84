//! The sessions of all clients, from the list of processes.

use crate::server::{Seen, number};

/// Fails on MySQL, which does not number statements in its list.
pub(super) const NUMBERS_STATEMENTS: &str =
    "SELECT QUERY_ID FROM information_schema.PROCESSLIST LIMIT 1";
/// Returns no row if the performance schema is off.
pub(super) const NAMES_APPLICATIONS: &str =
    "SELECT 1 FROM performance_schema.session_connect_attrs LIMIT 1";

/// Returns the statement that lists the sessions: number, user, host, application, command, and a mark that changes with
/// each statement. Without numbers of statements the mark is the time since the session rests, in steps of a second.
pub(super) fn sql(numbers_statements: bool, names_applications: bool) -> String {
    let mark = if numbers_statements {
        "p.QUERY_ID"
    } else {
        "IF(p.COMMAND = 'Sleep', UNIX_TIMESTAMP() - p.TIME, UUID())"
    };
    let (application, joins) = if names_applications {
        (
            "a.ATTR_VALUE",
            " LEFT JOIN performance_schema.session_connect_attrs a \
             ON a.PROCESSLIST_ID = p.ID AND a.ATTR_NAME = 'program_name'",
        )
    } else {
        ("NULL", "")
    };
    // Threads of the server and replicas are not clients.
    format!(
        "SELECT p.ID, p.USER, p.HOST, {application}, p.COMMAND, {mark} FROM information_schema.PROCESSLIST p{joins} \
         WHERE p.USER NOT IN ('system user', 'event_scheduler', 'unauthenticated user') \
         AND p.COMMAND NOT LIKE 'Binlog Dump%' AND p.COMMAND <> 'Daemon'"
    )
}

/// Returns the session of a row.
pub(super) fn seen(row: &[Option<String>]) -> Option<Seen> {
    let text = |index: usize| row.get(index).cloned().flatten();
    let host = text(2).unwrap_or_default();
    // `10.0.0.7:51234`, or `localhost` for the Unix socket.
    let from = host.rsplit_once(':').map_or("", |(host, _)| host);
    Some(Seen {
        number: number(row.first())?,
        user: text(1).unwrap_or_default(),
        from: from.to_owned(),
        application: text(3).unwrap_or_default(),
        runs: text(4).is_some_and(|command| command != "Sleep"),
        mark: text(5),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_who_and_whether_it_runs() {
        let row = [
            Some("7"),
            Some("bob"),
            Some("10.0.0.7:51234"),
            None,
            Some("Sleep"),
            Some("99"),
        ];
        let found = seen(&row.map(|value| value.map(str::to_owned)));
        let expected = Seen {
            number: 7,
            user: "bob".to_owned(),
            from: "10.0.0.7".to_owned(),
            application: String::new(),
            runs: false,
            mark: Some("99".to_owned()),
        };
        assert_eq!(found, Some(expected));
        assert!(sql(true, false).contains("QUERY_ID") && !sql(false, false).contains("QUERY_ID"));
    }
}
