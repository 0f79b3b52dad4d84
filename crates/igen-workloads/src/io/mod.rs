//! Storage.

#[cfg_attr(not(test), expect(dead_code, reason = "nobody writes blocks yet"))]
mod stamp;
