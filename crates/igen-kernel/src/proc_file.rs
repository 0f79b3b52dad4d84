//! Reading files of /proc: one that is read again and again stays open, its buffer is reused.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

/// Most files of /proc fit; a longer one makes the buffer grow once.
const FIRST_BUFFER_BYTES: usize = 4096;

/// An open file whose contents the kernel makes anew for each reading.
pub struct ProcFile {
    path: String,
    file: File,
    buffer: Vec<u8>,
}

impl ProcFile {
    /// Opens the file and reads it once: some open and then refuse to be read.
    pub fn open(path: impl Into<String>) -> io::Result<Self> {
        let path = path.into();
        let file = File::open(&path).map_err(|error| named(&path, &error))?;
        let mut opened = Self {
            path,
            file,
            buffer: vec![0; FIRST_BUFFER_BYTES],
        };
        opened.read()?;
        Ok(opened)
    }

    /// The present contents. Names of processes need not be UTF-8: what is not is replaced.
    pub fn read(&mut self) -> io::Result<Cow<'_, str>> {
        let mut length = 0;
        loop {
            if length == self.buffer.len() {
                self.buffer.resize(2 * length, 0);
            }
            match self.file.read_at(&mut self.buffer[length..], length as u64) {
                Ok(0) => return Ok(String::from_utf8_lossy(&self.buffer[..length])),
                Ok(bytes) => length += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(named(&self.path, &error)),
            }
        }
    }
}

/// Reads a short file of /proc that is not kept open: its first `buffer.len()` bytes in one piece.
pub fn read_once<'a>(path: &str, buffer: &'a mut [u8]) -> io::Result<Cow<'a, str>> {
    let length = File::open(path)?.read(buffer)?;
    Ok(String::from_utf8_lossy(&buffer[..length]))
}

/// Returns the error with the path of its file.
fn named(path: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{path}: {error}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::Write;

    use super::*;

    #[test]
    fn reads_the_present_contents_however_long() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"first").unwrap();
        let mut opened = ProcFile::open(file.path().to_str().unwrap()).unwrap();
        assert_eq!(opened.read().unwrap(), "first");

        let long = "x".repeat(3 * FIRST_BUFFER_BYTES + 1);
        file.write_all(long.as_bytes()).unwrap();
        assert_eq!(opened.read().unwrap(), format!("first{long}"));

        file.as_file().set_len(3).unwrap();
        assert_eq!(opened.read().unwrap(), "fir");
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"1 (\xff) S").unwrap();
        let mut opened = ProcFile::open(file.path().to_str().unwrap()).unwrap();
        assert_eq!(opened.read().unwrap(), "1 (\u{fffd}) S");
    }

    #[test]
    fn a_short_file_is_read_in_one_piece() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"abcdef").unwrap();
        let path = file.path().to_str().unwrap();
        assert_eq!(read_once(path, &mut [0; 16]).unwrap(), "abcdef");
        assert_eq!(read_once(path, &mut [0; 4]).unwrap(), "abcd");
    }

    #[test]
    fn an_error_names_the_file() {
        let error = ProcFile::open("/no/such/file").err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().starts_with("/no/such/file: "), "{error}");
    }
}
