//! Where the bytes of answers come from: a connection, or in tests whatever arrives in whichever pieces.

use std::io::Result;

use igen_net::Stream;

/// Bytes both ways.
pub(crate) trait Channel {
    /// Sends all of it.
    async fn send(&mut self, bytes: &[u8]) -> Result<()>;
    /// What was received and not yet consumed.
    fn input(&self) -> &[u8];
    /// Takes so many bytes off the input.
    fn consume(&mut self, bytes: usize);
    /// Waits for more input; `false` when the other side has closed.
    async fn fill_or_end(&mut self) -> Result<bool>;
    /// Lets one read take up to so many bytes.
    fn make_room(&mut self, bytes: usize);
}

impl Channel for Stream {
    #[inline]
    async fn send(&mut self, bytes: &[u8]) -> Result<()> {
        self.output().extend_from_slice(bytes);
        self.flush().await
    }

    #[inline]
    fn input(&self) -> &[u8] {
        self.input()
    }

    #[inline]
    fn consume(&mut self, bytes: usize) {
        self.consume(bytes);
    }

    #[inline]
    async fn fill_or_end(&mut self) -> Result<bool> {
        self.fill_or_end().await
    }

    fn make_room(&mut self, bytes: usize) {
        self.make_room(bytes);
    }
}
