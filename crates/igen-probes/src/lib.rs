//! One-shot tools and facts: one probe is one file, and one word in `probes.rs`.
