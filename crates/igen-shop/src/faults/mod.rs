//! A server that misbehaves, for the tests of clients. What it does wrong is chosen by the path; each
//! connection is a thread's, and none lasts longer than ten minutes.
//!
//! | path | what is wrong |
//! | --- | --- |
//! | `/ok` | nothing |
//! | `/slow?every_ms=1000` | a body of 1,000 bytes, one byte at a time |
//! | `/slow-head?every_ms=1000` | the same with the head |
//! | `/silent` | there is no answer |
//! | `/close` | the connection is closed instead of an answer |
//! | `/reset?after=100` | the connection is reset after so many bytes of a body of 1,000 |
//! | `/short` | 10 bytes of a body that should have 1,000, and the end |
//! | `/long` | 1,000 bytes of a body that should have 10 |
//! | `/huge` | a body of 1 GiB |
//! | `/endless` | chunks without an end |
//! | `/endless-head` | lines of a head without an end |
//! | `/long-head` | a head of 128 KiB |
//! | `/garbage` | garbage where the length of a chunk should be |
//! | `/endless-chunk-length` | the length of a chunk has no end |
//! | `/cut` | the connection is closed within a chunk |
//! | `/both-lengths` | `Content-Length` beside `Transfer-Encoding` |
//! | `/two-lengths` | `Content-Length` twice, with different values |
//! | `/folded` | a header that goes on in the next line |
//! | `/nul` | a NUL in a header |
//! | `/not-http` | the greeting of another protocol |
//! | `/until-close` | nothing: a body whose end is that of the connection |
//! | `/no-content` | 204 with a body |
//! | `/not-modified` | 304 with a body |
//! | `/continue`, `/early-hints` | nothing: 100 or 103 before the answer |
//! | `/loop`, `/ping`, `/pong` | sends to itself; each to the other |
//! | `/hops?left=5` | sends on so many times |
//! | `/away` | sends to another host |
//! | `/nth?n=3&status=503` | every nth of these requests gets that status |
//! | `/error-page` | 200 with a page that says that something went wrong |

mod channel;
mod misbehave;
mod serve;

pub use serve::{Options, serve};
