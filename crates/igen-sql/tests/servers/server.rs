//! A server of a test's own: in a temporary folder, on a free port of loopback, as an unprivileged
//! user, without durability.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Longest time for a start.
const PATIENCE: Duration = Duration::from_secs(30);
/// Somebody else may take a port between its choice and the start.
const STARTS: usize = 5;

/// Whose server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    Mariadb,
    Postgresql,
}

/// A server that is stopped when it is dropped.
pub struct Server {
    pub product: Product,
    folder: tempfile::TempDir,
    port: u16,
    options: Vec<String>,
    process: Mutex<Child>,
}

static SHARED: [Mutex<Weak<Server>>; 2] = [const { Mutex::new(Weak::new()) }; 2];

impl Product {
    /// The user as whom the server runs where we are root.
    fn account(self) -> &'static str {
        match self {
            Self::Mariadb => "mysql",
            Self::Postgresql => "postgres",
        }
    }

    /// What makes the server small and fast.
    fn small(self) -> &'static [&'static str] {
        match self {
            Self::Mariadb => &[
                "--innodb-log-file-size=4M",
                "--innodb-buffer-pool-size=32M",
                "--innodb-flush-log-at-trx-commit=0",
            ],
            Self::Postgresql => &["-c", "fsync=off", "-c", "shared_buffers=32MB"],
        }
    }

    /// A command that runs as the server's user where we are root.
    pub fn command(self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        if !rustix::process::geteuid().is_root() {
            return Command::new(program);
        }
        let account = self.account();
        let mut command = Command::new("setpriv");
        command
            .arg(format!("--reuid={account}"))
            .arg(format!("--regid={account}"))
            .arg("--clear-groups")
            .arg(program);
        command
    }

    /// Where the server's program is; `None` with a printed reason if it is not installed.
    fn program(self, name: &str) -> Option<PathBuf> {
        let folders: Vec<PathBuf> = match self {
            Self::Mariadb => vec![
                "/usr/sbin".into(),
                "/usr/bin".into(),
                "/usr/local/bin".into(),
            ],
            Self::Postgresql => std::fs::read_dir("/usr/lib/postgresql")
                .into_iter()
                .flatten()
                .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
                .collect(),
        };
        let found = folders
            .into_iter()
            .map(|folder| folder.join(name))
            .find(|path| path.exists());
        if found.is_none() {
            println!("skipped: {self:?} is not installed ({name})");
        }
        found
    }
}

impl Server {
    /// The server that tests which only use databases of their own share; `None` with a printed
    /// reason if it is not installed.
    pub fn shared(product: Product) -> Option<Arc<Self>> {
        let mut shared = SHARED[product as usize]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = shared.upgrade() {
            return Some(server);
        }
        let server = Arc::new(Self::start(product, &[])?);
        *shared = Arc::downgrade(&server);
        Some(server)
    }

    /// Starts a server with further options.
    pub fn start(product: Product, options: &[&str]) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        give(folder.path(), product);
        let data = folder.path().join("data").display().to_string();
        let mut command = match product {
            Product::Mariadb => {
                product.program("mariadbd")?;
                let mut command = product.command("mariadb-install-db");
                command
                    .arg("--no-defaults")
                    .args(product.small())
                    .args(options)
                    .args(["--auth-root-authentication-method=normal", "--skip-test-db"])
                    .arg(format!("--datadir={data}"))
                    .arg(format!("--tmpdir={}", folder.path().display()));
                command
            }
            Product::Postgresql => {
                let mut command = product.command(product.program("initdb")?);
                command.args([
                    "--username=root",
                    "--auth=trust",
                    "--no-sync",
                    "--pgdata",
                    &data,
                ]);
                command
            }
        };
        succeeded(&command.current_dir("/").output().unwrap());
        let port = free_port();
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        let process = run(product, folder.path(), port, &options);
        let mut server = Self {
            product,
            folder,
            port,
            options,
            process: Mutex::new(process),
        };
        for _attempt in 1..STARTS {
            if server.is_ready() {
                return Some(server);
            }
            server.port = free_port();
            let again = run(product, server.folder.path(), server.port, &server.options);
            server.process = Mutex::new(again);
        }
        server.wait();
        Some(server)
    }

    /// Ends it with signal 9, with all of its processes.
    pub fn kill(&self) {
        let mut process = self.process.lock().unwrap();
        let group = rustix::process::Pid::from_child(&process);
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
        process.wait().unwrap();
    }

    /// Starts it again after `kill`.
    pub fn restart(&self) {
        *self.process.lock().unwrap() =
            run(self.product, self.folder.path(), self.port, &self.options);
        self.wait();
    }

    /// A target on it over TCP.
    pub fn target(&self, database: &str) -> String {
        let scheme = self.scheme();
        format!("{scheme}://root@127.0.0.1:{}/{database}", self.port)
    }

    /// A target on it over its Unix socket.
    pub fn socket_target(&self, database: &str) -> String {
        let (scheme, port) = (self.scheme(), self.port);
        let folder = self.folder.path().display();
        match self.product {
            Product::Mariadb => {
                format!("{scheme}://root@localhost/{database}?socket={folder}/socket")
            }
            Product::Postgresql => {
                format!("{scheme}://root@localhost:{port}/{database}?host={folder}")
            }
        }
    }

    /// Where its Unix socket is.
    pub fn folder(&self) -> String {
        self.folder.path().display().to_string()
    }

    /// The port on loopback.
    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn scheme(&self) -> &'static str {
        match self.product {
            Product::Mariadb => "mysql",
            Product::Postgresql => "postgresql",
        }
    }

    /// Creates a database.
    pub fn create(&self, database: &str) {
        let administration = match self.product {
            Product::Mariadb => "mysql",
            Product::Postgresql => "postgres",
        };
        self.sql(administration, &format!("CREATE DATABASE {database}"));
    }

    /// Names of the tables in a database, a line each.
    pub fn tables(&self, database: &str) -> String {
        let schema = match self.product {
            Product::Mariadb => database,
            Product::Postgresql => "public",
        };
        let tables = format!(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = '{schema}' \
             ORDER BY table_name"
        );
        self.sql(database, &tables).trim().to_owned()
    }

    /// Runs statements with the ordinary client; returns what it prints.
    pub fn sql(&self, database: &str, sql: &str) -> String {
        let output = self.client(database, sql);
        succeeded(&output);
        String::from_utf8(output.stdout).unwrap()
    }

    fn client(&self, database: &str, sql: &str) -> Output {
        let folder = self.folder.path().display();
        let mut command = match self.product {
            Product::Mariadb => {
                let mut command = Command::new("mariadb");
                command
                    .args(["--no-defaults", "--user=root", "--skip-column-names"])
                    .arg(format!("--socket={folder}/socket"))
                    .arg(format!("--database={database}"));
                command
            }
            Product::Postgresql => {
                let mut command = Command::new("psql");
                command
                    .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
                    .arg(format!("--host={folder}"))
                    .arg(format!("--port={}", self.port))
                    .args(["--username=root", "--dbname", database]);
                command
            }
        };
        let statements = match self.product {
            Product::Mariadb => format!("--execute={sql}"),
            Product::Postgresql => format!("--command={sql}"),
        };
        command.arg(statements).output().unwrap()
    }

    fn wait(&self) {
        assert!(self.is_ready(), "{:?} does not start", self.product);
    }

    /// Returns true if it answers, at once or after a while; not if it has ended.
    fn is_ready(&self) -> bool {
        let administration = match self.product {
            Product::Mariadb => "mysql",
            Product::Postgresql => "postgres",
        };
        let start = Instant::now();
        while !self.client(administration, "SELECT 1").status.success() {
            let ended = self.process.lock().unwrap().try_wait().unwrap();
            if ended.is_some() || start.elapsed() > PATIENCE {
                return false;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        true
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut process = self.process.lock().unwrap();
        let group = rustix::process::Pid::from_child(&process);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = process.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn run(product: Product, folder: &Path, port: u16, options: &[String]) -> Child {
    let place = folder.display();
    let mut command = match product {
        Product::Mariadb => {
            let mut command = product.command("mariadbd");
            command
                .args([
                    "--no-defaults",
                    "--bind-address=127.0.0.1",
                    "--local-infile=1",
                ])
                .arg(format!("--port={port}"))
                .arg(format!("--datadir={place}/data"))
                .arg(format!("--tmpdir={place}"))
                .arg(format!("--socket={place}/socket"))
                .arg(format!("--pid-file={place}/pid"));
            command
        }
        Product::Postgresql => {
            let mut command = product.command(product.program("postgres").unwrap());
            command
                .arg(format!("-D{place}/data"))
                .args(["-h", "127.0.0.1"])
                .arg(format!("-p{port}"))
                .arg(format!("-k{place}"));
            command
        }
    };
    std::os::unix::process::CommandExt::process_group(&mut command, 0)
        .args(product.small())
        .args(options)
        .current_dir("/")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Gives a folder and what is in it to the server's user.
pub fn give(folder: &Path, product: Product) {
    if rustix::process::geteuid().is_root() {
        let account = product.account();
        let given = Command::new("chown")
            .args(["-R", account])
            .arg(folder)
            .status();
        assert!(given.unwrap().success());
    }
}

fn succeeded(output: &Output) {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
