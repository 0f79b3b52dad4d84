//! Periodic samplers: one sampler is one file, and one word in `monitors.rs`.
