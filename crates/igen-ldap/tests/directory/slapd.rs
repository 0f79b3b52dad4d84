//! A slapd of a test's own: in a temporary folder, on a free port of loopback, as an unprivileged
//! user, without durability.

use std::fmt::Write;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use igen_net::testing::stop;
use rustix::process::{Pid, Signal, kill_process};

/// Longest time for a start.
const PATIENCE: Duration = Duration::from_secs(20);
const STARTS: u32 = 5;
pub const SUFFIX: &str = "dc=example,dc=com";
pub const ADMINISTRATOR: &str = "cn=admin,dc=example,dc=com";
pub const PASSWORD: &str = "hush";

/// A server that is stopped when it is dropped.
pub struct Slapd {
    folder: tempfile::TempDir,
    port: u16,
    tls_port: u16,
    process: Mutex<Child>,
}

impl Slapd {
    /// Starts a server; `global` and `database` are lines of its configuration. `None` with a printed
    /// reason if it is not installed.
    pub fn start(global: &str, database: &str) -> Option<Self> {
        if !Path::new("/usr/sbin/slapd").exists() {
            println!("skipped: slapd is not installed");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        fs::create_dir(place.join("data")).unwrap();
        fs::write(place.join("password"), PASSWORD).unwrap();
        fs::set_permissions(place.join("password"), fs::Permissions::from_mode(0o600)).unwrap();
        let mut text = String::new();
        for schema in ["core", "cosine", "inetorgperson"] {
            writeln!(text, "include /etc/ldap/schema/{schema}.schema").unwrap();
        }
        let place_text = place.display();
        write!(
            text,
            "modulepath /usr/lib/ldap\nmoduleload back_mdb\nmoduleload back_monitor\n\
             pidfile {place_text}/pid\nloglevel 0\n{global}\n\
             database config\naccess to * by dn.exact=\"{ADMINISTRATOR}\" read\n\
             database mdb\nsuffix \"{SUFFIX}\"\nrootdn \"{ADMINISTRATOR}\"\nrootpw {PASSWORD}\n\
             directory {place_text}/data\nmaxsize 67108864\nindex objectClass eq\nindex uid eq\n\
             dbnosync\n{database}\n\
             database monitor\n"
        )
        .unwrap();
        fs::write(place.join("slapd.conf"), text).unwrap();
        give(place);
        let [port, tls_port] = free_ports();
        let mut server = Self {
            process: Mutex::new(run(place, port, tls_port)),
            folder,
            port,
            tls_port,
        };
        // Somebody else may have taken a port meanwhile.
        for _attempt in 1..STARTS {
            if server.is_ready() {
                return Some(server);
            }
            [server.port, server.tls_port] = free_ports();
            let again = run(server.folder.path(), server.port, server.tls_port);
            server.process = Mutex::new(again);
        }
        assert!(server.is_ready(), "slapd does not start");
        Some(server)
    }

    /// Its tree for the administrator.
    pub fn target(&self) -> String {
        self.target_as(ADMINISTRATOR)
    }

    /// Its tree for somebody with the administrator's password.
    pub fn target_as(&self, dn: &str) -> String {
        let (port, folder) = (self.port, self.folder.path().display());
        format!("ldap://{dn}@127.0.0.1:{port}/{SUFFIX}?password_file={folder}/password")
    }

    /// Its tree for anybody, with these options.
    pub fn anonymous(&self, host: &str, options: &str) -> String {
        format!("ldap://{host}:{}/{SUFFIX}{options}", self.port)
    }

    /// The same under TLS from the first byte on; where it has a certificate.
    pub fn encrypted(&self, host: &str, options: &str) -> String {
        format!("ldaps://{host}:{}/{SUFFIX}{options}", self.tls_port)
    }

    /// Its Unix socket.
    pub fn socket(&self) -> String {
        self.folder.path().join("socket").display().to_string()
    }

    /// Ends it with signal 9.
    pub fn kill(&self) {
        let mut process = self.process.lock().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// Starts it again after `kill`.
    pub fn restart(&self) {
        *self.process.lock().unwrap() = run(self.folder.path(), self.port, self.tls_port);
        assert!(self.is_ready());
    }

    /// Stops it without a word: its sockets stay, and nobody answers.
    pub fn freeze(&self) {
        stop(&[self.pid()]);
    }

    /// Lets it go on.
    pub fn thaw(&self) {
        kill_process(self.pid(), Signal::CONT).unwrap();
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.process.lock().unwrap())
    }

    /// Waits until this very process serves; `false` where it has ended instead.
    fn is_ready(&self) -> bool {
        let start = Instant::now();
        let pid = self.process.lock().unwrap().id().to_string();
        let file = self.folder.path().join("pid");
        let serves = || {
            fs::read_to_string(&file).is_ok_and(|text| text.trim() == pid)
                && TcpStream::connect(("127.0.0.1", self.port)).is_ok()
        };
        while !serves() {
            if self.process.lock().unwrap().try_wait().unwrap().is_some() {
                return false;
            }
            assert!(start.elapsed() < PATIENCE, "slapd does not start");
            std::thread::sleep(Duration::from_millis(10));
        }
        true
    }
}

impl Drop for Slapd {
    fn drop(&mut self) {
        let mut process = self.process.lock().unwrap();
        let _ = process.kill();
        let _ = process.wait();
    }
}

/// Gives the folder to the user as whom the server runs.
fn give(folder: &Path) {
    if rustix::process::geteuid().is_root() {
        let given = Command::new("chown")
            .args(["-R", "openldap:openldap"])
            .arg(folder)
            .status();
        assert!(given.unwrap().success());
        // The password is ours.
        let own = Command::new("chown")
            .arg("root:root")
            .arg(folder.join("password"))
            .status();
        assert!(own.unwrap().success());
    }
}

fn free_ports() -> [u16; 2] {
    let listening = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    listening.map(|listener| listener.local_addr().unwrap().port())
}

fn run(folder: &Path, port: u16, tls_port: u16) -> Child {
    let socket = folder
        .join("socket")
        .display()
        .to_string()
        .replace('/', "%2F");
    let mut urls = format!("ldap://127.0.0.1:{port}/ ldapi://{socket}/");
    let configuration = fs::read_to_string(folder.join("slapd.conf")).unwrap();
    if configuration.contains("TLSCertificateFile") {
        write!(urls, " ldaps://127.0.0.1:{tls_port}/").unwrap();
    }
    let mut command = if rustix::process::geteuid().is_root() {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=openldap", "--regid=openldap", "--clear-groups"])
            .arg("/usr/sbin/slapd");
        command
    } else {
        Command::new("/usr/sbin/slapd")
    };
    command
        .args(["-d", "0", "-h", &urls, "-f"])
        .arg(folder.join("slapd.conf"))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .current_dir("/")
        .spawn()
        .unwrap()
}
