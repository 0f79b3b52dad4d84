//! What only MariaDB does.

use std::sync::{Arc, Mutex};

use igen_engine::ProgressReporter;
use igen_sql::content::RowSource;
use igen_sql::value::Checksum;

use crate::load::{Events, STATEMENTS, content, database, open};
use crate::postgresql_only::look_with;
use crate::server::{Product, Server};
use crate::session::{numbers, session};

#[tokio::test(flavor = "local")]
async fn a_procedure_answers_in_one_call() {
    const CALL: &[&str] = &["CALL add_number(?, ?)"];
    let Some(server) = Server::shared(Product::Mariadb) else {
        return;
    };
    let database = numbers(&server, "procedures");
    session(&database)
        .await
        .query(
            "CREATE PROCEDURE add_number(IN id INT, IN amount INT) BEGIN \
             UPDATE numbers SET n_value = n_value + amount WHERE n_id = id; \
             SELECT n_value FROM numbers WHERE n_id = id; END",
        )
        .await
        .unwrap();
    let mut session = database.session(CALL).await.unwrap();
    for sum in [15, 20] {
        let mut expected = igen_sql::value::Checksum::default();
        expected.integer(sum);
        let rows = session.select(0, &[1, 5]).await.unwrap();
        assert_eq!((rows.count, rows.checksum), (1, expected));
    }
}

#[tokio::test(flavor = "local")]
async fn a_full_disk_is_said_and_nothing_is_left() {
    let Some(server) = Server::start(
        Product::Mariadb,
        &[
            "--innodb-file-per-table=0",
            "--innodb-data-file-path=ibdata1:12M:autoextend:max:24M",
        ],
    ) else {
        return;
    };
    let database = database(&server, "full");
    let content = content(400_000);
    let error = database
        .load(&content, false, &ProgressReporter::silent())
        .await
        .expect_err("24 MB are too little");
    assert!(error.text.contains("table or disk is full"), "{error}");
    assert!(error.hint.contains("free some space"), "{error}");
    assert_eq!(server.tables("full"), "");
}

#[tokio::test(flavor = "local")]
async fn without_local_infile_rows_are_inserted_and_a_warning_says_so() {
    let Some(server) = Server::start(Product::Mariadb, &["--local-infile=0"]) else {
        return;
    };
    let database = database(&server, "inserted");
    let content = content(1_000);
    let said = Arc::new(Mutex::new(Vec::new()));
    let progress = ProgressReporter::new({
        let said = Arc::clone(&said);
        move |event| said.lock().unwrap().push(event.text)
    });
    database.load(&content, false, &progress).await.unwrap();
    let said = said.lock().unwrap().join("\n");
    assert!(said.contains("local_infile is off"), "{said}");
    let mut session = database.session(STATEMENTS).await.unwrap();
    let mut expected = Checksum::default();
    for index in 0..1_000 {
        Events.row(index, &mut |values| expected.row(values));
    }
    let rows = session.select(0, &[1, 1_000]).await.unwrap();
    assert_eq!((rows.count, rows.checksum), (1_000, expected));
}
#[tokio::test(flavor = "local")]
async fn facts_are_read_from_the_server() {
    let Some(server) = Server::shared(Product::Mariadb) else {
        return;
    };
    let database = database(&server, "facts");
    let facts = database.facts().await;
    let fact = |name: &str| {
        let name = format!("target.mysql.{name}");
        let fact = facts.iter().find(|known| known.name == name);
        fact.map(|fact| fact.value.clone())
    };
    assert_eq!(fact("flavour"), Some("MariaDB".into()));
    assert_eq!(fact("placement"), Some("console/server".into()));
    assert_eq!(fact("isolation"), Some("REPEATABLE-READ".into()));
    assert_eq!(fact("innodb_flush_log_at_trx_commit"), Some(0.into()));
    assert_eq!(fact("innodb_buffer_pool_bytes"), Some((32 << 20).into()));
    assert!(fact("version").is_some() && fact("max_connections").is_some());
}

#[tokio::test(flavor = "local")]
async fn a_user_of_ed25519_logs_in_by_name_and_password() {
    let Some(server) = Server::start(Product::Mariadb, &["--plugin-load-add=auth_ed25519"]) else {
        return;
    };
    server.create("signed");
    server.sql(
        "signed",
        "CREATE USER signer IDENTIFIED VIA ed25519 USING PASSWORD('a k:ey'); \
         GRANT ALL ON signed.* TO signer",
    );
    let target = server.target("signed").replace("root@", "signer@");
    for (password, answer) in [
        ("a k:ey", "answer: Nothing"),
        ("nonsense", "wrong user or password"),
    ] {
        let said = look_with(&target, "MYSQL_PWD", password);
        assert!(said.contains(answer), "{said}");
        let stranger = said.split("without credentials: ").nth(1).unwrap();
        assert!(stranger.contains("wrong user or password"), "{said}");
        assert!(!said.contains(password), "{said}");
    }
}

#[tokio::test(flavor = "local")]
async fn the_server_is_told_which_application_connects() {
    let Some(server) = Server::start(Product::Mariadb, &["--performance-schema=on"]) else {
        return;
    };
    let asked = "SELECT ATTR_VALUE FROM performance_schema.session_connect_attrs \
                 WHERE PROCESSLIST_ID = CONNECTION_ID() AND ATTR_NAME = 'program_name'";
    server.create("named");
    for (options, expected) in [("", "igen"), ("?application_name=my%20app", "my app")] {
        let database = open(&(server.target("named") + options));
        let mut session = database.session(&[]).await.unwrap();
        let rows = session.query(asked).await.unwrap();
        assert_eq!(rows, vec![vec![Some(expected.to_owned())]]);
    }
}

#[tokio::test(flavor = "local")]
async fn a_role_that_is_not_the_default_is_said() {
    let Some(server) = Server::shared(Product::Mariadb) else {
        return;
    };
    server.create("roles");
    server.sql(
        "roles",
        "CREATE ROLE loader; GRANT ALL ON roles.* TO loader; CREATE USER worker; GRANT loader TO worker",
    );
    let target = server.target("roles").replace("root@", "worker@");
    let error = open(&target).look(&content(1)).await.expect_err("no right");
    assert!(error.hint.contains("DEFAULT ROLE"), "{error}");
    server.sql("roles", "SET DEFAULT ROLE loader FOR worker");
    open(&target).look(&content(1)).await.unwrap();
}
