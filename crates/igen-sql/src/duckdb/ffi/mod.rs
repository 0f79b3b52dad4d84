//! The C interface of DuckDB, as far as it is needed here, behind types that keep its rules: the
//! only unsafe code of this engine. A handle is freed exactly once, when its owner is dropped.

#![allow(unsafe_code)]

mod answer;
mod appender;
mod connection;
mod functions;
mod instance;

use std::ffi::{CStr, CString, c_char};

use igen_engine::{Failure, FailureKind};

pub(super) use answer::{Answer, Cell};
pub(super) use appender::Appender;
pub(super) use connection::{Connection, Prepared};
pub(super) use functions::Library;
pub(super) use instance::Instance;

/// What most functions return on success.
const SUCCESS: u32 = 0;

/// A text for a function that takes one.
fn c_text(text: &str) -> Result<CString, Failure> {
    CString::new(text)
        .map_err(|_| Failure::new(FailureKind::Other, "the text contains a zero byte"))
}

/// A copy of a text that a function returned; empty for null.
///
/// # Safety
/// `text` is null or a text that ends with a zero byte.
unsafe fn text_of(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null, and the caller vouches for the rest.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}
