//! One pass of a kernel over arrays, in each width: the same two loops for each set of instructions.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod memcpy;
#[cfg(target_arch = "aarch64")]
mod neon;
mod pass;
#[cfg(target_arch = "x86_64")]
mod rep;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse2;
mod vectors;

use super::params::{Kernel, Stores, Width};

pub(super) use pass::{Arrays, Pass, value};

/// The pass of a kernel, where this processor has it; none of `chase`.
pub(super) fn find(kernel: Kernel, width: Width, stores: Stores) -> Option<Pass> {
    let nt = stores == Stores::Nt;
    match width {
        Width::Scalar => scalar::find(kernel, nt),
        #[cfg(target_arch = "x86_64")]
        Width::Sse2 => sse2::find(kernel, nt),
        #[cfg(target_arch = "x86_64")]
        Width::Avx2 if is_x86_feature_detected!("avx2") => avx2::find(kernel, nt),
        #[cfg(target_arch = "x86_64")]
        Width::Avx512 if is_x86_feature_detected!("avx512f") => avx512::find(kernel, nt),
        #[cfg(target_arch = "aarch64")]
        Width::Neon => neon::find(kernel, nt),
        Width::Memcpy => memcpy::find(kernel),
        #[cfg(target_arch = "x86_64")]
        Width::Rep => rep::find(kernel),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)]

    use proptest::prelude::*;

    use super::super::variant::{Variant, all};
    use super::*;

    fn available() -> Vec<(&'static Variant, Pass)> {
        let found = all().filter_map(|(_, variant)| {
            let stores = variant.stores.unwrap_or(Stores::Regular);
            Some((variant, find(variant.kernel, variant.width?, stores)?))
        });
        found.collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// At any length and alignment: what is written is right, and nothing beside it is touched.
        #[test]
        fn every_kernel_does_its_work_at_odd_sizes(
            len in 0_usize..700,
            (skip_a, skip_b, skip_c) in (0_usize..9, 0_usize..9, 0_usize..9),
        ) {
            let numbers = |seed: usize, len: usize| -> Vec<f64> {
                (0..len).map(|i| ((i * 7919 + seed) % 1000) as f64).collect()
            };
            let (b, c) = (numbers(1, skip_b + len), numbers(2, skip_c + len));
            let (b, c) = (&b[skip_b..], &c[skip_c..]);
            for (variant, pass) in available() {
                let mut memory = vec![-1.0; skip_a + len + 9];
                let a = &mut memory[skip_a..skip_a + len];
                let sum = pass(&mut Arrays { a, b, c });
                if variant.kernel == Kernel::Read {
                    prop_assert_eq!(sum, b.iter().sum::<f64>(), "{}", variant.name);
                    continue;
                }
                for (i, &found) in memory.iter().enumerate() {
                    let inside = i.checked_sub(skip_a).filter(|i| *i < len);
                    let right = inside.map_or(-1.0, |i| value(variant.kernel, b[i], c[i]));
                    prop_assert_eq!(found, right, "{} at {}", variant.name, i);
                }
            }
        }
    }

    #[test]
    fn every_kernel_has_a_scalar_form() {
        let scalar = available()
            .into_iter()
            .filter(|(variant, _)| variant.width == Some(Width::Scalar));
        assert!(scalar.count() >= 6);
    }

    #[test]
    #[should_panic(expected = "as long as")]
    fn arrays_of_different_lengths_are_refused() {
        let pass = find(Kernel::Copy, Width::Scalar, Stores::Regular).unwrap_or(|_| 0.0);
        pass(&mut Arrays {
            a: &mut [0.0; 8],
            b: &[0.0; 7],
            c: &[],
        });
    }
}
