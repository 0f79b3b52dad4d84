//! What a program was built with: compiler, optimisation, and the processors that it was built for.
//!
//! REQUIREMENTS: the right to read the program (root for another user's process).
//! OVERHEAD: the program is read once, and its instructions are decoded: 0.1 s of a processor for 25 MB.

mod census;
mod elf;
mod evidence;
mod go;
mod producer;
mod psabi_level;
mod stack;
mod texts;

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use igen_job::JobError;
use igen_job::tool::Verdict;
use object::{Architecture, Object, ObjectKind};

use self::census::Census;
use self::elf::{Elf, code};
use self::evidence::Evidence;
use crate::emit::Emit;
use crate::foreign_file;
use crate::tool::Tool;

/// How every ELF file begins.
const MAGIC: &[u8] = b"\x7fELF";

pub(crate) struct Compiler;

/// Options of the tool.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct CompilerArgs {
    /// The program or library.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The program of this process.
    #[arg(long, value_name = "PID")]
    pid: Option<u32>,
}

impl Tool for Compiler {
    const NAME: &'static str = "compiler";
    const SUMMARY: &'static str = "show the compiler and target processors of a program";
    const REQUIREMENTS: &'static str =
        "permission to read the program; root for processes of other users";
    const OVERHEAD: &'static str = "reads the program once: 0.1 s of processor time for 25 MB";
    const EXAMPLES: &'static [&'static str] = &["/usr/sbin/nginx", "--pid 1234"];
    type Args = CompilerArgs;

    fn run(args: CompilerArgs, emit: &mut Emit) -> Result<Verdict, JobError> {
        let (option, path) = match (args.file, args.pid) {
            (Some(file), _) => ("FILE", file),
            (None, pid) => (
                "--pid",
                PathBuf::from(format!("/proc/{}/exe", pid.unwrap_or(0))),
            ),
        };
        let bad = |text: String| JobError::at(option, format!("{}: {text}", path.display()));
        let data = read(&path).map_err(|error| {
            bad(format!("cannot read the program: {error}"))
                .hint("use the path of a program; processes of other users need root")
        })?;
        let elf = Elf::parse(&*data).map_err(|error| {
            let hint = if data.starts_with(MAGIC) {
                "the file is damaged, incomplete, or a 32-bit program"
            } else {
                "for a script, use the path of its interpreter"
            };
            bad(format!("not a 64-bit ELF program: {error}")).hint(hint)
        })?;
        if elf.kind() == ObjectKind::Core {
            let text = "a core file of a crashed program, not a program";
            return Err(bad(text.to_owned()).hint("use the program itself, which `file` prints"));
        }
        let evidence = evidence::gather(&elf, emit);
        emit.table(evidence.table());
        let census = match elf.architecture() {
            Architecture::X86_64 => Some(Census::take(&code(&elf))),
            other => {
                emit.note(format!(
                    "instructions of {other:?} are not examined, so their level and -O0 are unknown"
                ));
                None
            }
        };
        if let Some(census) = &census {
            emit.table(census.table());
            for note in census.notes() {
                emit.note(note);
            }
        }
        Ok(verdict(&evidence, census.as_ref()))
    }
}

/// All of a program; of what is none the head alone, which says so, however long it is.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = foreign_file::open(path)?;
    let mut data = Vec::new();
    (&mut file)
        .take(MAGIC.len() as u64)
        .read_to_end(&mut data)?;
    if data == MAGIC {
        file.read_to_end(&mut data)?;
    }
    Ok(data)
}

fn verdict(evidence: &Evidence, census: Option<&Census>) -> Verdict {
    let built = evidence.compiler().unwrap_or("an unknown compiler");
    let stack = census
        .map(Census::stack)
        .filter(|stack| stack.long_enough());
    // The library of Rust comes optimised: what was built here is a part.
    let seems_plain = stack.is_some_and(|stack| {
        stack.unoptimised() || (built.starts_with("rustc") && stack.parts_unoptimised())
    });
    let unoptimised = evidence
        .optimisation
        .as_deref()
        .map_or(seems_plain, |said| said == "-O0");
    let optimised = match (&evidence.optimisation, stack) {
        (Some(said), _) => format!(" {said}"),
        (None, _) if unoptimised => " without optimisation (-O0)".to_owned(),
        (None, Some(_)) => " with optimisation".to_owned(),
        (None, None) => String::new(),
    };
    let seen = census.and_then(Census::level);
    let level = evidence.level.or(seen);
    let wanted = match (evidence.level, seen) {
        (Some(said), _) => format!(" for {said}"),
        (None, Some(needed)) => format!(" for at least {needed}"),
        (None, None) => String::new(),
    };
    let text = format!("built with {built}{optimised}{wanted}");
    let host = psabi_level::of_host();
    let newer = level.zip(host).filter(|(level, host)| level < host);
    let method = match census {
        Some(census) if !census.is_empty() => {
            "compiler information in the program, and a count of its instructions"
        }
        _ => "compiler information in the program",
    };
    match (unoptimised, newer) {
        (true, _) => {
            let advice = "build it with -O2 or higher before measuring";
            Verdict::finding(method, format!("{text}: {advice}"))
        }
        (false, Some((_, host))) => Verdict::finding(
            method,
            format!("{text}, but this host supports {host}: try a rebuild"),
        ),
        (false, None) => Verdict::good(method, text),
    }
}
