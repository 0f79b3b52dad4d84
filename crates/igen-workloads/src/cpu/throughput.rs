//! Four pixels at once, each in a lane of its own: bound by how many operations the processor can
//! execute, not by how long one takes. A lane that finishes takes the next pixel.

use super::complex::Complex;
use super::fractal::{Checksums, Counts, ESCAPE_NORM_SQUARED, ITERATIONS_MAX, View};
use super::texture::Texture;

const LANES: usize = 4;
/// The step at which a lane without pixel is looked at next: never.
const IDLE: u64 = u64::MAX;

/// The pixels in flight. Arrays by field, not by lane, so that the compiler may use vectors.
#[derive(Default)]
struct Lanes {
    re: [f64; LANES],
    im: [f64; LANES],
    c_re: [f64; LANES],
    c_im: [f64; LANES],
    texture: [Texture; LANES],
    pixel: [usize; LANES],
    /// The step before which the pixel has had all its iterations.
    end_step: [u64; LANES],
}

impl Lanes {
    fn start(&mut self, lane: usize, pixel: usize, step: u64, view: &View) {
        let c = view.centre(pixel);
        (self.re[lane], self.im[lane]) = (0.0, 0.0);
        (self.c_re[lane], self.c_im[lane]) = (c.re, c.im);
        self.texture[lane] = Texture::of(pixel);
        self.pixel[lane] = pixel;
        self.end_step[lane] = step + u64::from(ITERATIONS_MAX);
    }

    /// Parks a lane at 0, from where it cannot escape.
    fn park(&mut self, lane: usize) {
        (self.re[lane], self.im[lane]) = (0.0, 0.0);
        (self.c_re[lane], self.c_im[lane]) = (0.0, 0.0);
        self.end_step[lane] = IDLE;
    }

    fn z(&self, lane: usize) -> Complex {
        Complex {
            re: self.re[lane],
            im: self.im[lane],
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "no pixel has more than ITERATIONS_MAX left"
    )]
    fn count(&self, lane: usize, step: u64) -> u16 {
        ITERATIONS_MAX - (self.end_step[lane] - step) as u16
    }

    fn escaped(&self, lane: usize) -> bool {
        self.z(lane).norm_squared() > ESCAPE_NORM_SQUARED
    }

    #[inline]
    fn any_escaped(&self) -> bool {
        (0..LANES).fold(false, |any, lane| any | self.escaped(lane))
    }

    fn next_end_step(&self) -> u64 {
        self.end_step.iter().copied().fold(IDLE, u64::min)
    }

    #[inline]
    fn iterate(&mut self) {
        for lane in 0..LANES {
            let c = Complex {
                re: self.c_re[lane],
                im: self.c_im[lane],
            };
            let z = self.z(lane).squared() + c;
            (self.re[lane], self.im[lane]) = (z.re, z.im);
        }
        for lane in 0..LANES {
            self.texture[lane] = self.texture[lane].next();
        }
    }
}

/// Draws one fractal.
pub fn render(view: &View, counts: &mut Counts) -> Checksums {
    let mut checksums = Checksums::default();
    let mut lanes = Lanes::default();
    for lane in 0..LANES {
        lanes.start(lane, lane, 0, view);
    }
    let (mut step, mut next_pixel) = (0, LANES);
    loop {
        // Between two finished pixels lie about a hundred steps: only these are hot.
        let next_end_step = lanes.next_end_step();
        if next_end_step == IDLE {
            return checksums;
        }
        while step < next_end_step && !lanes.any_escaped() {
            lanes.iterate();
            step += 1;
        }
        for lane in 0..LANES {
            if lanes.end_step[lane] != step && !lanes.escaped(lane) {
                continue;
            }
            let pixel = lanes.pixel[lane];
            let count = lanes.count(lane, step);
            counts[pixel] = count;
            checksums.add(pixel, count, lanes.z(lane), lanes.texture[lane]);
            if next_pixel < counts.len() {
                lanes.start(lane, next_pixel, step, view);
                next_pixel += 1;
            } else {
                lanes.park(lane);
            }
        }
    }
}
