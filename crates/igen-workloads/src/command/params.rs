//! Parameters of `command`.

use std::fs::{self, File};
use std::path::Path;

use igen_job::{JobError, Seconds};
use schemars::JsonSchema;
use serde::Deserialize;

use super::output::Output;

/// Longest limit of one execution: a day.
const MOST_S: f64 = 86_400.0;

/// What to run, and how.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// The program and its arguments, as typed into a shell: `./sort big.txt`.
    pub run: String,
    /// What runs before each execution and is not timed: `rm -f out.txt`.
    pub prepare: Option<String>,
    /// True if `/bin/sh` runs both, with pipes, variables and wildcards. Its own start is part of the time.
    /// Without it the words are split as a shell would, and the program is started directly.
    pub shell: bool,
    /// Folder in which both run; that of the load process when absent.
    pub working_directory: Option<String>,
    /// File from which the program reads its standard input; `/dev/null` when absent.
    pub input: Option<String>,
    /// Standard output of `run`: `pipe`, whose other end is read; `null`, which some programs notice, and skip their work;
    /// or a file, which is emptied before each execution and at the end. The output of `prepare` is always a pipe.
    pub output: Option<String>,
    /// Longest time of an execution, and of `prepare`: what takes longer is killed and has failed.
    pub timeout_s: Seconds,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            run: String::new(),
            prepare: None,
            shell: true,
            working_directory: None,
            input: None,
            output: Some("pipe".to_owned()),
            timeout_s: Seconds(600.0),
        }
    }
}

impl Params {
    /// Returns the output of `run`.
    pub(super) fn output(&self) -> Output {
        Output::of(self.output.as_deref())
    }

    /// Refuses what can be known to be wrong before anything runs; the job has that many users.
    /// `owned`: the user says that what is written to is theirs.
    pub(super) fn check(&self, users: u32, owned: bool) -> Result<(), JobError> {
        if let Some(folder) = &self.working_directory
            && !Path::new(folder).is_dir()
        {
            let text = format!("`{folder}` is no folder here");
            return Err(JobError::at("params.working_directory", text));
        }
        if let Some(input) = &self.input {
            File::open(input).map_err(|error| {
                JobError::at("params.input", format!("cannot read `{input}`: {error}"))
            })?;
        }
        if let Output::File(path) = self.output() {
            check_output(&path, users, owned)?;
        }
        if !(self.timeout_s.0 > 0.0 && self.timeout_s.0 <= MOST_S) {
            let text = format!("must be above 0 and at most {MOST_S} s");
            return Err(JobError::at("params.timeout_s", text));
        }
        Ok(())
    }
}

fn check_output(path: &Path, users: u32, owned: bool) -> Result<(), JobError> {
    let refused = |text: String| Err(JobError::at("params.output", text));
    if users > 1 {
        return refused(format!("{users} users cannot write to one file")).map_err(
            |error: JobError| {
                error.hint("redirect the output in `run`: run='sort big.txt > sorted.$IGEN_USER'")
            },
        );
    }
    // An empty path has no folder, either.
    let folder = path.parent().map(|folder| Path::new(".").join(folder));
    if path.is_dir() || folder.is_none_or(|folder| !folder.is_dir()) {
        return refused(format!(
            "`{}` is not a file that can be written: use pipe, null or the path of a file",
            path.display()
        ));
    }
    // Each execution empties the file, and the load leaves it empty: what has content is not iGen's.
    let is_free = fs::metadata(path).map_or(true, |found| found.is_file() && found.len() == 0);
    if !is_free && !owned {
        let text = format!("`{}` exists and is not an empty file", path.display());
        return refused(text).map_err(|error| {
            error.hint("choose a new file, or add --i-own-this-data: its content is lost then")
        });
    }
    Ok(())
}
