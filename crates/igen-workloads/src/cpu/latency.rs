//! One pixel after the other: bound by the chain of dependent floating-point operations, so the
//! integer half is nearly free on a processor that executes out of order.

use std::hint::black_box;

use super::complex::Complex;
use super::fractal::{Checksums, Counts, ESCAPE_NORM_SQUARED, ITERATIONS_MAX, View};
use super::texture::Texture;

/// Draws one fractal.
pub fn render(view: &View, counts: &mut Counts) -> Checksums {
    let mut checksums = Checksums::default();
    for (pixel, slot) in counts.iter_mut().enumerate() {
        let c = view.centre(pixel);
        // Two additions side by side would make the compiler put both halves of z into one vector,
        // and moving them in and out lengthens the chain by a quarter. Subtracting −c gives the same
        // bits, but only if the compiler does not know.
        let minus_c_re = black_box(-c.re);
        let mut z = Complex::default();
        let mut texture = Texture::of(pixel);
        let mut count = 0;
        while count < ITERATIONS_MAX && z.norm_squared() <= ESCAPE_NORM_SQUARED {
            let square = z.squared();
            z = Complex {
                re: square.re - minus_c_re,
                im: square.im + c.im,
            };
            texture = texture.next();
            count += 1;
        }
        *slot = count;
        checksums.add(pixel, count, z, texture);
    }
    checksums
}
