//! Complex numbers, as the published workload has a library of its own for them.

use std::ops::Add;

/// A complex number. Rust never contracts `a * b + c` into a fused multiply-add, so every processor
/// rounds alike and the last bit of a result can be checked.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Complex {
    /// z².
    #[inline]
    #[must_use]
    pub fn squared(self) -> Self {
        Self {
            re: self.re * self.re - self.im * self.im,
            im: 2.0 * self.re * self.im,
        }
    }

    /// |z|².
    #[inline]
    #[must_use]
    pub fn norm_squared(self) -> f64 {
        self.re * self.re + self.im * self.im
    }
}

impl Add for Complex {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_square_and_norm_of_three_plus_four_i() {
        let z = Complex { re: 3.0, im: 4.0 };
        assert_eq!(z.squared(), Complex { re: -7.0, im: 24.0 });
        assert!((z.norm_squared() - 25.0).abs() < f64::EPSILON);
        assert_eq!(z + z, Complex { re: 6.0, im: 8.0 });
    }
}
