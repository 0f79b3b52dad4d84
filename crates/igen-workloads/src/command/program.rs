//! A program and its arguments, ready to be started.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use igen_job::JobError;

use super::params::Params;

/// Variable of the environment with the number of the user who runs the program.
pub(super) const USER_VARIABLE: &str = "IGEN_USER";

/// The words of a command line.
pub(super) struct Program {
    words: Vec<String>,
    working_directory: Option<String>,
}

impl Program {
    /// What `text` means in the parameter `field`.
    pub(super) fn of(text: &str, params: &Params, field: &str) -> Result<Self, JobError> {
        let refuse = |reason: &str| Err(JobError::at(field, reason));
        if text.trim().is_empty() {
            return Err(JobError::at(field, "names no program")
                .hint("say what to run, as typed into a shell: run='sort big.txt'"));
        }
        if text.contains('\0') {
            return refuse("no command line holds a character of the code 0");
        }
        let words = if params.shell {
            ["/bin/sh", "-c", text].map(str::to_owned).to_vec()
        } else {
            match shlex::split(text) {
                Some(words) if !words.is_empty() => words,
                Some(_) => return refuse("names no program"),
                None => return refuse("a quotation mark or a backslash has no end"),
            }
        };
        Ok(Self {
            words,
            working_directory: params.working_directory.clone(),
        })
    }

    /// A process of it in a separate group. Its input is empty, and its output is discarded unless it is redirected.
    pub(super) fn command(&self, user: u32) -> Command {
        let mut command = Command::new(&self.words[0]);
        command
            .args(&self.words[1..])
            .env(USER_VARIABLE, user.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .process_group(0);
        if let Some(folder) = &self.working_directory {
            command.current_dir(folder);
        }
        command
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn words(text: &str, shell: bool) -> Result<Vec<String>, JobError> {
        let params = Params {
            shell,
            ..Params::default()
        };
        Program::of(text, &params, "params.run").map(|program| program.words)
    }

    #[test]
    fn a_shell_takes_the_text_as_it_is() {
        assert_eq!(
            words("a 'b c' | d", true).unwrap(),
            ["/bin/sh", "-c", "a 'b c' | d"]
        );
    }

    #[test]
    fn without_a_shell_words_are_split_as_one_would() {
        for (text, expected) in [
            ("./sort  big.txt", &["./sort", "big.txt"][..]),
            (
                r#"a 'b c' "d \" e" f\ g ''"#,
                &["a", "b c", "d \" e", "f g", ""],
            ),
            ("echo $HOME | cat", &["echo", "$HOME", "|", "cat"]),
        ] {
            assert_eq!(words(text, false).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_command_line_is_refused_with_its_parameter() {
        for (text, shell) in [("", true), ("  ", false), ("'a", false), ("a\0b", true)] {
            let error = words(text, shell).unwrap_err();
            assert_eq!(error.path, "params.run", "{text:?}");
        }
        words("'a", true).unwrap();
    }
}
