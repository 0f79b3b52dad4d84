//! What only PostgreSQL does.

use std::path::Path;
use std::process::Command;

use igen_engine::{Failure, FailureKind, ProgressReporter};
use igen_job::Credentials;
use igen_job::facts::TARGET_TRANSPORT;
use igen_sql::database::Database;
use igen_sql::settings::{Settings, Variable};

use crate::load::{content, database, open};
use crate::server::{Product, Server, give};
use crate::session::{numbers, session};

const TARGET: &str = "IGEN_TEST_TARGET";
const KEY: &str = "a k:ey";

#[tokio::test(flavor = "local")]
async fn a_commit_that_becomes_a_rollback_is_a_failure() {
    let Some(server) = Server::shared(Product::Postgresql) else {
        return;
    };
    let database = numbers(&server, "broken_off");
    let mut session = session(&database).await;
    session.begin(true).await.unwrap();
    let inserted = session.query("INSERT INTO numbers VALUES (3, 30)").await;
    inserted.unwrap();
    let divided = session.query("SELECT 1 / 0").await;
    divided.expect_err("a division by zero");
    let failure = session.commit().await.expect_err("the server rolls back");
    assert_eq!(
        failure,
        Failure::new(FailureKind::Other, "rolled back instead of committed")
    );
    let count = session.integers("SELECT COUNT(*) FROM numbers").await;
    assert_eq!(count.unwrap(), Some(vec![2]));
}

#[tokio::test(flavor = "local")]
async fn tables_are_loaded_with_the_variables_that_the_job_sets() {
    let Some(server) = Server::shared(Product::Postgresql) else {
        return;
    };
    server.create("searched");
    server.sql("searched", "CREATE SCHEMA shop");
    let path = Variable::Text("shop".to_owned());
    let settings = Settings {
        session_variables: [("search_path".to_owned(), path)].into(),
        ..Settings::default()
    };
    let database = Database::of(
        &server.target("searched"),
        "targets[0]",
        &settings,
        igen_job::Credentials::Own,
    )
    .unwrap();
    let content = content(100);
    let silent = ProgressReporter::silent();
    let loaded = database.load(&content, false, &silent);
    loaded.await.unwrap();
    assert_eq!(server.tables("searched"), "", "nothing in public");
    let tables = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'shop'";
    assert_eq!(server.sql("searched", tables).trim(), "3");
    database.remove(&content).await.unwrap();
    assert_eq!(server.sql("searched", tables).trim(), "0");
}

/// A file system of a few MB, as long as this lives.
struct Small(tempfile::TempDir);

impl Small {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=8m,mode=0777", "tmpfs"])
            .arg(folder.path())
            .output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self(folder));
        }
        println!("skipped: only root can mount a small file system");
        None
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

#[tokio::test(flavor = "local")]
async fn a_full_disk_is_said_and_nothing_is_left() {
    let Some(server) = Server::shared(Product::Postgresql) else {
        return;
    };
    let Some(small) = Small::new() else {
        return;
    };
    give(small.0.path(), Product::Postgresql);
    let place = small.0.path().display();
    server.sql(
        "postgres",
        &format!("CREATE TABLESPACE small LOCATION '{place}'"),
    );
    let database = database(&server, "crammed");
    server.sql(
        "postgres",
        "ALTER DATABASE crammed SET default_tablespace = small",
    );
    let error = database
        .load(&content(400_000), false, &ProgressReporter::silent())
        .await
        .expect_err("8 MB are too little");
    assert!(error.text.contains("disk is full"), "{error}");
    assert!(error.hint.contains("free some space"), "{error}");
    assert_eq!(server.tables("crammed"), "");
    server.sql("postgres", "DROP DATABASE crammed");
    server.sql("postgres", "DROP TABLESPACE small");
}

#[tokio::test(flavor = "local")]
async fn facts_are_read_from_the_server() {
    let Some(server) = Server::shared(Product::Postgresql) else {
        return;
    };
    let database = database(&server, "facts");
    let facts = database.facts().await;
    let fact = |name: &str| {
        let name = format!("target.postgresql.{name}");
        let fact = facts.iter().find(|known| known.name == name);
        fact.map(|fact| fact.value.clone())
    };
    assert_eq!(fact("placement"), Some("console/server".into()));
    assert_eq!(fact("transport"), Some("TCP".into()));
    assert_eq!(fact("tls"), Some("none".into()));
    assert_eq!(fact("isolation"), Some("read committed".into()));
    assert_eq!(fact("fsync"), Some("off".into()));
    assert_eq!(fact("shared_buffers"), Some("32MB".into()));
    for name in ["version", "max_connections", "wal_level", "database_bytes"] {
        assert!(fact(name).is_some(), "{name}");
    }
    let over_socket = open(&server.socket_target("facts")).facts().await;
    assert!(over_socket.contains(&TARGET_TRANSPORT.of("postgresql", "Unix socket")));
}

#[tokio::test(flavor = "local")]
async fn every_part_of_a_target_may_be_percent_encoded() {
    let Some(server) = Server::shared(Product::Postgresql) else {
        return;
    };
    server.sql("postgres", "CREATE ROLE \"a/b @c\" LOGIN");
    server.sql("postgres", "CREATE DATABASE \"s/h op?\"");
    let place = server.target("").replace("postgresql://root@", "");
    let folder = server.folder().replace('/', "%2F");
    let port = place.trim_end_matches('/').rsplit(':').next().unwrap();
    for host in [
        place.trim_end_matches('/').to_owned(),
        format!("{folder}:{port}"),
    ] {
        let target =
            format!("postgresql://a%2Fb%20%40c@{host}/s%2Fh%20op%3F?application_name=my%26");
        let mut session = open(&target).session(&[]).await.expect(&target);
        let asked = "SELECT current_user, current_database(), current_setting('application_name')";
        let rows = session.query(asked).await.unwrap();
        let expected = ["a/b @c", "s/h op?", "my&"].map(|text| Some(text.to_owned()));
        assert_eq!(rows, vec![expected.to_vec()]);
    }
}

#[test]
fn passwords_are_asked_for_in_every_way_and_never_shown() {
    let folder = tempfile::tempdir().unwrap();
    let hba = folder.path().join("hba");
    let roles = [
        ("plain", "password"),
        ("hashed", "md5"),
        ("scrambled", "scram-sha-256"),
    ];
    let rules = roles.map(|(role, method)| {
        format!("host all {role} 127.0.0.1/32 {method}\nlocal all {role} {method}\n")
    });
    std::fs::write(&hba, format!("{}local all all trust\n", rules.concat())).unwrap();
    set_mode(folder.path(), 0o755);
    let option = format!("hba_file={}", hba.display());
    let Some(server) = Server::start(Product::Postgresql, &["-c", &option]) else {
        return;
    };
    server.create("guarded");
    for (role, encryption) in [
        ("plain", "md5"),
        ("hashed", "md5"),
        ("scrambled", "scram-sha-256"),
    ] {
        server.sql(
            "guarded",
            &format!("SET password_encryption = '{encryption}'; CREATE ROLE {role} LOGIN PASSWORD '{KEY}'"),
        );
    }
    let file = folder.path().join("passwords").display().to_string();
    for (target, host) in [
        (server.target("guarded"), "127.0.0.1".to_owned()),
        (server.socket_target("guarded"), server.folder()),
    ] {
        std::fs::write(&file, format!("{host}:*:guarded:*:a k\\:ey\n")).unwrap();
        for (role, _) in roles {
            let target = target.replace("root@", &format!("{role}@"));
            set_mode(Path::new(&file), 0o600);
            for (variable, value, answer) in [
                ("PGPASSWORD", KEY, "answer: Nothing"),
                ("PGPASSWORD", "nonsense", "wrong password"),
                ("PGPASSFILE", &file, "answer: Nothing"),
                ("PGPASSFILE", "/nowhere", "the server requires a password"),
            ] {
                let said = look_with(&target, variable, value);
                assert!(said.contains(answer), "{target}, {variable}: {said}");
                let stranger = said.split("without credentials: ").nth(1).unwrap();
                let asked = stranger.contains("the server requires a password");
                assert!(asked, "{target}, {variable}: {said}");
                assert!(!said.contains(KEY) && !said.contains("nonsense"), "{said}");
            }
            set_mode(Path::new(&file), 0o644);
            let said = look_with(&target, "PGPASSFILE", &file);
            assert!(said.contains("chmod 600"), "{target}: {said}");
        }
    }
}

/// What a process with this variable says about the target.
pub fn look_with(target: &str, variable: &str, value: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--ignored", "--nocapture"])
        .arg("postgresql_only::looking_at_the_target_of_the_environment")
        .env_remove("PGPASSWORD")
        .env(TARGET, target)
        .env(variable, value)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test(flavor = "local")]
#[ignore = "run by the test of passwords, as a process with other variables"]
async fn looking_at_the_target_of_the_environment() {
    let Ok(target) = std::env::var(TARGET) else {
        return;
    };
    for (name, whose) in [
        ("answer", Credentials::Own),
        ("without credentials", Credentials::None),
    ] {
        let database = Database::of(&target, "targets[0]", &Settings::default(), whose).unwrap();
        match database.look(&content(1)).await {
            Ok(found) => println!("{name}: {found:?}"),
            Err(error) => println!("{name}: {error}"),
        }
    }
}

fn set_mode(path: &Path, mode: u32) {
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(path, permissions).unwrap();
}
