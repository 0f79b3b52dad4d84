//! Export as an HDR histogram: V2 encoding, deflated, base64, as in HDR log files, so that any HDR
//! reader opens it. Format: <https://github.com/HdrHistogram/HdrHistogram>, `V2EncodingCookieBase`.

use std::cell::RefCell;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compress, Compression, FlushCompress, Status};

use crate::bucket::MAX_VALUE;
use crate::histogram::Histogram;

const COOKIE: u32 = 0x1c84_9313;
const COMPRESSED_COOKIE: u32 = 0x1c84_9314;
const SIGNIFICANT_FIGURES: u32 = 2;

thread_local! {
    /// Used again and again: making one takes ten times as long as compressing an interval's histogram.
    static COMPRESS: RefCell<Compress> = RefCell::new(Compress::new(Compression::fast(), true));
}

/// The histogram as text; empty for one without values.
#[must_use]
pub fn encode(histogram: &Histogram) -> String {
    let mut payload = Vec::with_capacity(512);
    let mut next = 0;
    for (index, count) in histogram.counts() {
        if index > next {
            let zeros = i64::try_from(index - next).unwrap_or(i64::MAX);
            push_zigzag(&mut payload, -zeros);
        }
        push_zigzag(&mut payload, i64::try_from(count).unwrap_or(i64::MAX));
        next = index + 1;
    }
    if payload.is_empty() {
        return String::new();
    }
    let mut plain = Vec::with_capacity(payload.len() + 40);
    plain.extend(COOKIE.to_be_bytes());
    plain.extend(length(&payload).to_be_bytes());
    plain.extend(0_u32.to_be_bytes()); // normalizing index offset
    plain.extend(SIGNIFICANT_FIGURES.to_be_bytes());
    plain.extend(1_u64.to_be_bytes()); // lowest discernible value
    plain.extend(MAX_VALUE.to_be_bytes());
    plain.extend(1_f64.to_be_bytes()); // integer to double conversion ratio
    plain.extend(payload);

    let deflated = deflated(&plain);
    let mut framed = Vec::with_capacity(deflated.len() + 8);
    framed.extend(COMPRESSED_COOKIE.to_be_bytes());
    framed.extend(length(&deflated).to_be_bytes());
    framed.extend(deflated);
    STANDARD.encode(framed)
}

/// As zlib stream (RFC 1950).
fn deflated(plain: &[u8]) -> Vec<u8> {
    COMPRESS.with_borrow_mut(|compress| {
        compress.reset();
        // What does not compress grows by a few bytes a block.
        let mut deflated = Vec::with_capacity(plain.len() + plain.len() / 100 + 64);
        loop {
            let taken = usize::try_from(compress.total_in()).unwrap_or(usize::MAX);
            let rest = plain.get(taken..).unwrap_or_default();
            match compress.compress_vec(rest, &mut deflated, FlushCompress::Finish) {
                Ok(Status::Ok | Status::BufError) => deflated.reserve(plain.len().max(64)),
                // Compressing into memory cannot fail.
                Ok(Status::StreamEnd) | Err(_) => return deflated,
            }
        }
    })
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

/// Zigzag LEB128, at most nine bytes, as HDR defines it: the ninth byte carries eight bits.
#[expect(clippy::cast_sign_loss)]
fn push_zigzag(bytes: &mut Vec<u8>, value: i64) {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    for _ in 0..8 {
        if rest < 0x80 {
            break;
        }
        bytes.push(low_byte(rest) | 0x80);
        rest >>= 7;
    }
    bytes.push(low_byte(rest));
}

fn low_byte(value: u64) -> u8 {
    value.to_le_bytes()[0]
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used)]
    use super::*;
    use crate::bucket::highest;
    use hdrhistogram::serialization::Deserializer;
    use proptest::prelude::*;

    fn decode(text: &str) -> hdrhistogram::Histogram<u64> {
        let bytes = STANDARD.decode(text).unwrap();
        Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .unwrap()
    }

    #[test]
    fn no_values_are_no_text() {
        assert_eq!(encode(&Histogram::default()), "");
    }

    #[test]
    fn one_text_after_another_is_whole() {
        let mut histogram = Histogram::default();
        for value in (0..1 << 22).step_by(997) {
            histogram.record(value * 1_000);
            if value % 100_000 < 997 {
                assert_eq!(decode(&encode(&histogram)).len(), histogram.count());
            }
        }
    }

    proptest! {
        #[test]
        fn the_reference_implementation_reads_every_bucket(
            values in prop::collection::vec((0..1u64 << 42, 1..5_000_000_u64), 1..40),
        ) {
            let mut histogram = Histogram::default();
            for (value, count) in &values {
                histogram.add_count(crate::bucket::index_of(*value), *count);
            }
            let read = decode(&encode(&histogram));
            prop_assert_eq!(read.len(), histogram.count());
            for (index, count) in histogram.counts() {
                prop_assert_eq!(read.count_at(highest(index)), count);
            }
            for q in [0.25, 0.5, 0.99, 1.0] {
                prop_assert_eq!(read.value_at_quantile(q), histogram.quantile(q));
            }
        }
    }
}
