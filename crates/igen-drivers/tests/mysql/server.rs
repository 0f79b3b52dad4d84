//! A MariaDB server of a test's own: in a temporary folder, on a free port of loopback, as an
//! unprivileged user, without durability.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

/// Longest time for a start.
const PATIENCE: Duration = Duration::from_secs(30);
const SMALL: &[&str] = &[
    "--innodb-log-file-size=4M",
    "--innodb-buffer-pool-size=32M",
    "--innodb-flush-log-at-trx-commit=0",
];

/// A server that is stopped when it is dropped.
pub struct Server {
    folder: tempfile::TempDir,
    port: u16,
    options: Vec<String>,
    process: Mutex<Child>,
}

static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());

impl Server {
    /// The server that tests which only use databases of their own share; `None` with a printed
    /// reason if MariaDB is not installed.
    pub fn shared() -> Option<Arc<Self>> {
        let mut shared = SHARED.lock().unwrap();
        if let Some(server) = shared.upgrade() {
            return Some(server);
        }
        let server = Arc::new(Self::start(&[])?);
        *shared = Arc::downgrade(&server);
        Some(server)
    }

    /// Starts a server with further options.
    pub fn start(options: &[&str]) -> Option<Self> {
        if Command::new("mariadbd").arg("--version").output().is_err() {
            println!("skipped: MariaDB is not installed");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        give_to_mysql(folder.path());
        let data = folder.path().join("data");
        let installed = as_mysql("mariadb-install-db")
            .arg("--no-defaults")
            .args(SMALL)
            .args(options)
            .arg("--auth-root-authentication-method=normal")
            .arg("--skip-test-db")
            .arg(format!("--datadir={}", data.display()))
            .arg(format!("--tmpdir={}", folder.path().display()))
            .output()
            .unwrap();
        assert!(
            installed.status.success(),
            "{}",
            String::from_utf8_lossy(&installed.stderr)
        );
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        let process = run(folder.path(), port, &options);
        let server = Self {
            folder,
            port,
            options,
            process: Mutex::new(process),
        };
        server.wait();
        Some(server)
    }

    /// Ends it with signal 9.
    pub fn kill(&self) {
        let mut process = self.process.lock().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// Starts it again after `kill`.
    pub fn restart(&self) {
        *self.process.lock().unwrap() = run(self.folder.path(), self.port, &self.options);
        self.wait();
    }

    /// A target on it over TCP.
    pub fn target(&self, database: &str) -> String {
        format!("mysql://root@127.0.0.1:{}/{database}", self.port)
    }

    /// A target on it over its Unix socket.
    pub fn socket_target(&self, database: &str) -> String {
        format!(
            "mysql://root@localhost/{database}?socket={}",
            self.socket().display()
        )
    }

    /// Runs statements with the ordinary client; returns what it prints.
    pub fn sql(&self, sql: &str) -> String {
        let output = self.client(sql);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    fn client(&self, sql: &str) -> std::process::Output {
        Command::new("mariadb")
            .args(["--no-defaults", "--user=root", "--skip-column-names"])
            .arg(format!("--socket={}", self.socket().display()))
            .arg(format!("--execute={sql}"))
            .output()
            .unwrap()
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    fn wait(&self) {
        let start = Instant::now();
        while !self.client("SELECT 1").status.success() {
            let ended = self.process.lock().unwrap().try_wait().unwrap();
            assert!(ended.is_none() && start.elapsed() < PATIENCE, "{ended:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut process = self.process.lock().unwrap();
        let _ = process.kill();
        let _ = process.wait();
    }
}

fn run(folder: &Path, port: u16, options: &[String]) -> Child {
    as_mysql("mariadbd")
        .arg("--no-defaults")
        .args(SMALL)
        .arg("--bind-address=127.0.0.1")
        .arg("--local-infile=1")
        .arg(format!("--port={port}"))
        .arg(format!("--datadir={}", folder.join("data").display()))
        .arg(format!("--tmpdir={}", folder.display()))
        .arg(format!("--socket={}", folder.join("socket").display()))
        .arg(format!("--pid-file={}", folder.join("pid").display()))
        .args(options)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// A command that runs as the user `mysql` where we are root.
fn as_mysql(program: &str) -> Command {
    if !rustix::process::geteuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=mysql", "--regid=mysql", "--clear-groups", program]);
    command
}

fn give_to_mysql(folder: &Path) {
    if rustix::process::geteuid().is_root() {
        let given = Command::new("chown").arg("mysql").arg(folder).status();
        assert!(given.unwrap().success());
    }
}
