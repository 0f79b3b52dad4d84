//! One question to a server at its Unix socket.

use std::path::PathBuf;
use std::rc::Rc;

use igen_job::JobError;
use tokio::task::LocalSet;

use crate::serve::{Fault, Limits, Upstream};

/// Returns the answer of the server at a socket to a GET of `path`. Any status but 200 is an error.
pub fn ask(socket: PathBuf, path: &str) -> Result<String, JobError> {
    let shown = socket.display().to_string();
    let failed = |why: String| JobError::at("--socket", format!("{shown}: {path}: {why}"));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| failed(error.to_string()))?;
    let server = Rc::new(Upstream::new(socket, Limits::default().behind));
    let answer = LocalSet::new().block_on(&runtime, server.ask(path, None));
    match answer {
        Ok((status, body)) => {
            let text = String::from_utf8_lossy(&body).into_owned();
            if status.is_success() {
                return Ok(text);
            }
            Err(failed(text.trim().to_owned()))
        }
        Err(Fault::NotReached(_)) => Err(failed("no server listens on this socket".to_owned())),
        Err(Fault::Failed) => Err(failed("the server closed the connection".to_owned())),
        Err(Fault::TooLate) => Err(failed("the server does not answer".to_owned())),
    }
}
