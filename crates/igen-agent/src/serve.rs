//! Servers to load: the tiers of the shop, the whole shop, and a server that misbehaves.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use igen_job::{JobError, Seconds};
use igen_shop::shop::Process;
use igen_shop::{Limits, Listen, Stop, app, ask, data, faults, shop, tls, web};
use rustix::fs::{FileType, fstat};
use serde_json::json;
use signal_hook::consts::{SIGINT, SIGTERM};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::output::{self, BAD_JOB};

/// Server to start. It prints the line `{"ready": {"address": …}}` when it listens. It stops on SIGTERM and SIGINT,
/// and at the end of standard input if that is a pipe.
#[derive(Subcommand)]
pub enum Serve {
    /// Web tier: static files, TLS, and the load balancer for the applications.
    Web {
        /// Address and port, or path of a Unix socket; may be repeated. Port 0 selects a free port.
        #[arg(long, required = true)]
        listen: Vec<Listen>,
        /// Socket of an application; may be repeated: requests are sent to the applications in turn.
        #[arg(long = "app", required = true, value_name = "SOCKET")]
        apps: Vec<PathBuf>,
        #[command(flatten)]
        certificate: Certificate,
        #[command(flatten)]
        common: Common,
    },
    /// Application tier: login, pages, charts.
    App {
        /// Address and port, or path of a Unix socket; may be repeated.
        #[arg(long, required = true)]
        listen: Vec<Listen>,
        /// Socket of the data tier.
        #[arg(long, value_name = "SOCKET")]
        data: PathBuf,
        #[command(flatten)]
        pages: Pages,
        #[command(flatten)]
        common: Common,
    },
    /// Data tier: SQLite in memory.
    Data {
        /// Address and port, or path of a Unix socket; may be repeated.
        #[arg(long, required = true)]
        listen: Vec<Listen>,
        #[command(flatten)]
        common: Common,
    },
    /// All three tiers, each in its own process; a process that ends is restarted.
    Shop {
        /// Address and port of the web tier. Port 0 selects a free port.
        #[arg(long, default_value = "127.0.0.1:8080")]
        listen: Listen,
        /// Folder for the sockets of the tiers: `web`, `app-1`, …, `data`.
        #[arg(long, value_name = "DIR")]
        directory: PathBuf,
        /// Applications behind the balancer, 1 to 64; each uses one processor.
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
        nodes: u16,
        /// Write the process ids of each tier to this file, as JSON.
        #[arg(long, value_name = "FILE")]
        pids: Option<PathBuf>,
        #[command(flatten)]
        certificate: Certificate,
        #[command(flatten)]
        pages: Pages,
        #[command(flatten)]
        common: Common,
    },
    /// Send a GET request to the socket of a tier and print the answer.
    Ask {
        /// The tier's socket.
        #[arg(long)]
        socket: PathBuf,
        /// Path to request; default: read from standard input.
        path: Option<String>,
    },
    /// Server that misbehaves, to test clients.
    #[command(hide = true)]
    Faults {
        /// Address and port. Port 0 selects a free port.
        #[arg(long, default_value = "127.0.0.1:0")]
        listen: String,
        #[command(flatten)]
        certificate: Certificate,
    },
}

/// Certificate and key for TLS.
#[derive(Args)]
pub struct Certificate {
    /// Certificate for TLS, in PEM, followed by its chain.
    #[arg(long, value_name = "FILE", requires = "key")]
    certificate: Option<PathBuf>,
    /// Private key of the certificate, in PEM.
    #[arg(long, value_name = "FILE", requires = "certificate")]
    key: Option<PathBuf>,
}

/// Cost of pages.
#[derive(Args)]
pub struct Pages {
    /// Cache the answers of the data tier: on or off.
    #[arg(long, value_enum, default_value_t = Switch::On)]
    cache: Switch,
    /// Processor time added to each page, with its unit, such as 5ms.
    #[arg(long, default_value = "5ms", value_parser = time)]
    work: Duration,
}

/// Options of all tiers.
#[derive(Args)]
pub struct Common {
    /// Seed of all content; the tiers of a shop must have the same seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Close a connection after this time without a request.
    #[arg(long, default_value = "75s", value_parser = time)]
    idle_timeout: Duration,
}

/// On or off.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Answers are cached.
    On,
    /// Answers are not cached.
    Off,
}

/// A time with its unit, an hour at most.
fn time(text: &str) -> Result<Duration, String> {
    let time: Seconds = text.parse()?;
    if text.trim().parse::<f64>().is_ok_and(|number| number != 0.0) {
        return Err(format!("`{text}` has no unit: write {text}ms or {text}s"));
    }
    if time.0 > 3_600.0 {
        return Err(format!("`{text}` is longer than an hour"));
    }
    Ok(Duration::from_secs_f64(time.0))
}

/// Serves until it is told to stop.
pub fn serve(what: Serve) -> ExitCode {
    let served = match what {
        Serve::Ask { socket, path } => return answered(socket, path),
        Serve::Web {
            listen,
            apps,
            certificate,
            common,
        } => certificate.config(tls::BOTH).and_then(|tls| {
            let options = web::Options {
                listen,
                tls,
                apps,
                seed: common.seed,
                limits: common.limits(),
            };
            web::serve(options, ready, stop()?)
        }),
        Serve::App {
            listen,
            data,
            pages,
            common,
        } => stop().and_then(|stop| {
            let options = app::Options {
                listen,
                data,
                cache: pages.cache == Switch::On,
                work: pages.work,
                seed: common.seed,
                limits: common.limits(),
            };
            app::serve(&options, ready, stop)
        }),
        Serve::Data { listen, common } => stop().and_then(|stop| {
            let options = data::Options {
                listen,
                seed: common.seed,
                limits: common.limits(),
            };
            data::serve(&options, ready, stop)
        }),
        Serve::Shop {
            listen,
            directory,
            nodes,
            pids,
            certificate,
            pages,
            common,
        } => {
            let tiers = Tiers {
                directory,
                nodes,
                pids,
                certificate,
                pages,
                common,
            };
            tiers.serve(&listen)
        }
        Serve::Faults {
            listen,
            certificate,
        } => certificate
            .config(tls::HTTP1_ONLY)
            .and_then(|tls| faults::serve(&faults::Options { listen, tls }, ready, stop()?)),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::fail_beside(error, BAD_JOB),
    }
}

impl Certificate {
    /// For a server of these protocols.
    fn config(&self, protocols: &[&[u8]]) -> Result<Option<Arc<tls::ServerConfig>>, JobError> {
        match (&self.certificate, &self.key) {
            (Some(certificate), Some(key)) => tls::config(certificate, key, protocols).map(Some),
            _ => Ok(None),
        }
    }
}

impl Common {
    fn limits(&self) -> Limits {
        Limits {
            idle: self.idle_timeout,
            ..Limits::default()
        }
    }
}

/// A whole shop.
struct Tiers {
    directory: PathBuf,
    nodes: u16,
    pids: Option<PathBuf>,
    certificate: Certificate,
    pages: Pages,
    common: Common,
}

impl Tiers {
    fn serve(self, listen: &Listen) -> Result<(), JobError> {
        let program = std::env::current_exe()
            .map_err(|error| JobError::new(format!("cannot find this program: {error}")))?;
        let process = |tier: &'static str, arguments: Vec<OsString>| {
            let mut command = Command::new(&program);
            command
                .args(["serve", tier])
                .args(arguments)
                .arg(format!("--seed={}", self.common.seed));
            Process { tier, command }
        };
        let data = self.socket("--listen=", "data");
        let mut processes = vec![process("data", vec![data])];
        for node in 1..=self.nodes {
            let arguments = vec![
                self.socket("--listen=", &format!("app-{node}")),
                self.socket("--data=", "data"),
                format!("--work={}ns", self.pages.work.as_nanos()).into(),
                if self.pages.cache == Switch::On {
                    "--cache=on"
                } else {
                    "--cache=off"
                }
                .into(),
            ];
            processes.push(process("app", arguments));
        }
        let idle_ms = self.common.idle_timeout.as_millis();
        let mut arguments = vec![
            OsString::from(format!("--listen={listen}")),
            // The web tier closes its own connections to those behind it.
            format!("--idle-timeout={idle_ms}ms").into(),
            self.socket("--listen=", "web"),
        ];
        arguments
            .extend((1..=self.nodes).map(|node| self.socket("--app=", &format!("app-{node}"))));
        for (name, file) in [
            ("--certificate=", &self.certificate.certificate),
            ("--key=", &self.certificate.key),
        ] {
            arguments.extend(file.iter().map(|file| joined(name, file.as_os_str())));
        }
        processes.push(process("web", arguments));
        shop::run(processes, self.pids, say, stop()?)
    }

    /// An option whose value is the socket of a tier.
    fn socket(&self, option: &str, tier: &str) -> OsString {
        joined(option, self.directory.join(tier).as_os_str())
    }
}

fn joined(option: &str, value: &std::ffi::OsStr) -> OsString {
    let mut joined = OsString::from(option);
    joined.push(value);
    joined
}

/// Says where it listens.
fn ready(address: &str) {
    say(&json!({"ready": {"address": address}}).to_string());
}

fn say(line: &str) {
    let mut output = std::io::stdout().lock();
    // It serves all the same where nobody listens.
    let _ = writeln!(output, "{line}");
    let _ = output.flush();
}

/// What ends a server: signals, and the end of standard input.
fn stop() -> Result<Stop, JobError> {
    let (send, stop) = unbounded_channel();
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])
        .map_err(|error| JobError::new(format!("cannot catch signals: {error}")))?;
    let told = send.clone();
    std::thread::spawn(move || {
        for _ in signals.forever() {
            // It may have ended already.
            let _ = told.send(());
        }
    });
    stop_with_standard_input(send);
    Ok(stop)
}

/// Where standard input is a pipe its end says that whoever holds the other end is gone. The end of a
/// terminal, of a file or of /dev/null says nothing.
fn stop_with_standard_input(send: UnboundedSender<()>) {
    let input = std::io::stdin();
    let is_pipe = fstat(&input).is_ok_and(|found| {
        matches!(
            FileType::from_raw_mode(found.st_mode),
            FileType::Fifo | FileType::Socket
        )
    });
    if !is_pipe {
        return;
    }
    std::thread::spawn(move || {
        let mut input = input.lock();
        let mut heard = [0; 1024];
        while input.read(&mut heard).is_ok_and(|read| read > 0) {}
        // It may have ended already.
        let _ = send.send(());
    });
}

fn answered(socket: PathBuf, path: Option<String>) -> ExitCode {
    let asked = match path {
        Some(path) => Ok(path),
        None => std::io::read_to_string(std::io::stdin())
            .map_err(|error| JobError::new(format!("cannot read standard input: {error}"))),
    };
    match asked.and_then(|path| ask::ask(socket, path.trim())) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => output::fail_beside(error, 1),
    }
}
