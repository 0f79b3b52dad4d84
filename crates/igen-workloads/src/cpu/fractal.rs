//! One fractal: the view, the buffer of counts, and the checksums by which a wrong one is known.

use super::complex::Complex;
use super::texture::{Texture, fold};

/// Pixels in a row.
pub const WIDTH: usize = 160;
/// Rows.
pub const HEIGHT: usize = 120;
/// Most iterations of a pixel.
pub const ITERATIONS_MAX: u16 = 512;
/// A pixel escapes when |z|² is above this.
pub const ESCAPE_NORM_SQUARED: f64 = 4.0;

/// Iterations of each pixel, row by row: 38.4 kB, which stay in the first or second cache level.
pub type Counts = [u16; WIDTH * HEIGHT];

/// What every fractal must leave behind, bit for bit, on every processor.
pub const GOLDEN: Checksums = Checksums {
    iterations: 2_083_030,
    orbits: 0x2bc9_8763_39ee_586c,
    textures: 0x76d9_b206_d3f3_cd06,
};

/// Checksum of the counts of a right fractal.
pub const GOLDEN_COUNTS: u64 = 0x23ef_7555_091f_b53d;

/// Sums over all pixels of one fractal. Hashes are added up, so pixels may finish in any order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checksums {
    /// Iterations.
    pub iterations: u64,
    /// Hash of each pixel's number, count and the bits of its last z: fast-math changes it.
    pub orbits: u64,
    /// Hash of each pixel's number and the value of its integer half.
    pub textures: u64,
}

impl Checksums {
    /// Adds a pixel that has finished.
    #[inline]
    pub fn add(&mut self, pixel: usize, count: u16, z: Complex, texture: Texture) {
        let place = fold(u64::from(count), pixel as u64);
        let orbit = fold(fold(place, z.re.to_bits()), z.im.to_bits());
        self.iterations += u64::from(count);
        self.orbits = self.orbits.wrapping_add(orbit);
        self.textures = self.textures.wrapping_add(fold(place, texture.value()));
    }
}

/// The part of the complex plane that is drawn.
#[derive(Debug, Clone, Copy)]
pub struct View {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl View {
    /// re −2.25 to 0.75, im −1.25 to 1.25: the whole set.
    pub const WHOLE: Self = Self {
        left: -2.25,
        top: -1.25,
        width: 3.0,
        height: 2.5,
    };

    /// The centre of pixel number `pixel`.
    #[inline]
    #[must_use]
    pub fn centre(&self, pixel: usize) -> Complex {
        let (column, row) = (pixel % WIDTH, pixel / WIDTH);
        Complex {
            re: self.left + self.width * ((column as f64 + 0.5) / WIDTH as f64),
            im: self.top + self.height * ((row as f64 + 0.5) / HEIGHT as f64),
        }
    }
}

/// A buffer for the counts of one fractal.
#[must_use]
#[expect(clippy::large_stack_arrays, reason = "38.4 kB bound for the heap")]
pub fn blank_counts() -> Box<Counts> {
    Box::new([0; WIDTH * HEIGHT])
}

/// Checksum of the counts, in the order of rows.
#[must_use]
pub fn checksum(counts: &Counts) -> u64 {
    counts
        .iter()
        .fold(0, |hash, &count| fold(hash, u64::from(count)))
}
