//! THE list of kernels in all widths and with all stores; each is an operation of the workload.

use igen_job::JobError;
use serde_json::{Value, json};

use super::kernels;
use super::params::{Kernel, Params, Stores, Width, word};

/// One way to run a kernel.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Variant {
    pub(super) name: &'static str,
    pub(super) kernel: Kernel,
    /// None for a chase.
    pub(super) width: Option<Width>,
    /// None where the kernel does not store or somebody else chooses.
    pub(super) stores: Option<Stores>,
}

const fn of(
    name: &'static str,
    kernel: Kernel,
    width: Option<Width>,
    stores: Option<Stores>,
) -> Variant {
    Variant {
        name,
        kernel,
        width,
        stores,
    }
}

/// Those that leave alike what they leave in caches stand together.
macro_rules! storing {
    ($kernel:ident, $($width:ident $regular:literal $nt:literal),*) => {
        [
            $(of($regular, Kernel::$kernel, Some(Width::$width), Some(Stores::Regular)),)*
            $(of($nt, Kernel::$kernel, Some(Width::$width), Some(Stores::Nt)),)*
        ]
    };
}

const READ: [Variant; 5] = [
    of("read_scalar", Kernel::Read, Some(Width::Scalar), None),
    of("read_sse2", Kernel::Read, Some(Width::Sse2), None),
    of("read_avx2", Kernel::Read, Some(Width::Avx2), None),
    of("read_avx512", Kernel::Read, Some(Width::Avx512), None),
    of("read_neon", Kernel::Read, Some(Width::Neon), None),
];
#[rustfmt::skip]
const WRITE: [Variant; 10] = storing!(Write,
    Scalar "write_scalar" "write_scalar_nt", Sse2 "write_sse2" "write_sse2_nt",
    Avx2 "write_avx2" "write_avx2_nt", Avx512 "write_avx512" "write_avx512_nt",
    Neon "write_neon" "write_neon_nt");
const WRITE_WHOLE: [Variant; 2] = [
    of("write_memcpy", Kernel::Write, Some(Width::Memcpy), None),
    of("write_rep", Kernel::Write, Some(Width::Rep), None),
];
#[rustfmt::skip]
const COPY: [Variant; 10] = storing!(Copy,
    Scalar "copy_scalar" "copy_scalar_nt", Sse2 "copy_sse2" "copy_sse2_nt",
    Avx2 "copy_avx2" "copy_avx2_nt", Avx512 "copy_avx512" "copy_avx512_nt",
    Neon "copy_neon" "copy_neon_nt");
const COPY_WHOLE: [Variant; 2] = [
    of("copy_memcpy", Kernel::Copy, Some(Width::Memcpy), None),
    of("copy_rep", Kernel::Copy, Some(Width::Rep), None),
];
#[rustfmt::skip]
const SCALE: [Variant; 10] = storing!(Scale,
    Scalar "scale_scalar" "scale_scalar_nt", Sse2 "scale_sse2" "scale_sse2_nt",
    Avx2 "scale_avx2" "scale_avx2_nt", Avx512 "scale_avx512" "scale_avx512_nt",
    Neon "scale_neon" "scale_neon_nt");
#[rustfmt::skip]
const ADD: [Variant; 10] = storing!(Add,
    Scalar "add_scalar" "add_scalar_nt", Sse2 "add_sse2" "add_sse2_nt",
    Avx2 "add_avx2" "add_avx2_nt", Avx512 "add_avx512" "add_avx512_nt",
    Neon "add_neon" "add_neon_nt");
#[rustfmt::skip]
const TRIAD: [Variant; 10] = storing!(Triad,
    Scalar "triad_scalar" "triad_scalar_nt", Sse2 "triad_sse2" "triad_sse2_nt",
    Avx2 "triad_avx2" "triad_avx2_nt", Avx512 "triad_avx512" "triad_avx512_nt",
    Neon "triad_neon" "triad_neon_nt");
const CHASE: [Variant; 1] = [of("chase", Kernel::Chase, None, None)];

const GROUPS: [&[Variant]; 9] = [
    &READ,
    &WRITE,
    &WRITE_WHOLE,
    &COPY,
    &COPY_WHOLE,
    &SCALE,
    &ADD,
    &TRIAD,
    &CHASE,
];
const COUNT: usize = 60;

/// Names of all variants in their order, and of what is timed aside.
pub(super) const OPERATIONS: &[&str] = &{
    let mut names = ["wait_for_others"; COUNT + 2];
    let (mut at, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut index = 0;
        while index < GROUPS[group].len() {
            names[at] = GROUPS[group][index].name;
            (at, index) = (at + 1, index + 1);
        }
        group += 1;
    }
    names[WARM] = "warm_caches";
    names
};
/// The time in which a user waits until all are ready for the next pass.
pub(super) const WAIT: usize = COUNT;
/// The time in which a pass before the turn gets into the caches what passes of others drove out.
pub(super) const WARM: usize = COUNT + 1;

/// All variants with their index in `OPERATIONS`.
pub(super) fn all() -> impl Iterator<Item = (usize, &'static Variant)> {
    GROUPS.iter().copied().flatten().enumerate()
}

impl Variant {
    /// Returns true if this processor can run it.
    pub(super) fn available(&self) -> bool {
        self.width.is_none_or(|width| {
            let stores = self.stores.unwrap_or(Stores::Regular);
            kernels::find(self.kernel, width, stores).is_some()
        })
    }

    /// What the analysis needs to know: bytes of a transaction by STREAM's rule, and with the reads
    /// that regular stores cause where that is known; of a chase the lines that it visits.
    pub(super) fn described(&self, transaction_bytes: u64, hops: u64) -> Value {
        let mut described = json!({ "kernel": self.kernel });
        if let Some(width) = self.width {
            described["width"] = json!(width);
        }
        if let Some(stores) = self.stores {
            described["stores"] = json!(stores);
        }
        if self.kernel == Kernel::Chase {
            described["accesses"] = json!(hops);
            return described;
        }
        let moved = u64::from(self.kernel.moved());
        described["bytes"] = json!(transaction_bytes * moved);
        let allocated = match (self.kernel, self.stores) {
            (Kernel::Read, _) | (_, Some(Stores::Nt)) => Some(0),
            (_, Some(Stores::Regular)) => Some(1),
            (_, None) => None,
        };
        if let Some(allocated) = allocated {
            described["bytes_with_allocation"] = json!(transaction_bytes * (moved + allocated));
        }
        described
    }

    /// Returns true if its pass finds in the caches what one of its own would have left there, when one of `before`
    /// was the last: the same arrays, read and written in the same way.
    pub(super) fn follows(&self, before: &Self) -> bool {
        let known = self.kernel == Kernel::Read || self.stores.is_some();
        self == before || known && self.kernel == before.kernel && self.stores == before.stores
    }

    fn matches(&self, params: &Params) -> bool {
        params.kernel.is_none_or(|kernel| kernel == self.kernel)
            && (params.width.is_none() || params.width == self.width)
            && (params.stores.is_none() || params.stores == self.stores)
    }
}

impl Kernel {
    /// How often a pass moves an array, by STREAM's rule.
    pub(super) const fn moved(self) -> u32 {
        match self {
            Self::Read | Self::Write | Self::Chase => 1,
            Self::Copy | Self::Scale => 2,
            Self::Add | Self::Triad => 3,
        }
    }
}

/// The variants that `params` ask for and this processor has, with their index in `OPERATIONS`.
pub(super) fn chosen(params: &Params) -> Result<Vec<(usize, &'static Variant)>, JobError> {
    if let Some(width) = params.width
        && !all().any(|(_, variant)| variant.width == Some(width) && variant.available())
    {
        let mut known: Vec<String> = Vec::new();
        for width in all().filter_map(|(_, variant)| variant.width.filter(|_| variant.available()))
        {
            if !known.contains(&word(width)) {
                known.push(word(width));
            }
        }
        let text = format!("this processor does not support {}", word(width));
        return Err(
            JobError::at("params.width", text).hint(format!("use one of {}", known.join(", ")))
        );
    }
    let asked: Vec<_> = all().filter(|(_, each)| each.matches(params)).collect();
    if asked.is_empty() {
        let kernel = params.kernel.map_or_else(|| "kernel".to_owned(), word);
        let mut said = Vec::new();
        said.extend(
            params
                .width
                .map(|width| format!("of width {}", word(width))),
        );
        said.extend(
            params
                .stores
                .map(|stores| format!("with {} stores", word(stores))),
        );
        let field = if params.stores.is_some() {
            "params.stores"
        } else {
            "params.width"
        };
        return Err(
            JobError::at(field, format!("there is no {kernel} {}", said.join(" "))).hint(
                "only write and copy support `stores`: read and chase do not store, memcpy and rep choose \
                 their stores themselves",
            ),
        );
    }
    let chosen: Vec<_> = asked
        .into_iter()
        .filter(|(_, variant)| variant.available())
        .collect();
    if chosen.is_empty() {
        return Err(JobError::at(
            "params.stores",
            "this processor does not support these stores in this width",
        ));
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn params(json: Value) -> Params {
        serde_json::from_value(json).unwrap()
    }

    fn names(json: Value) -> Vec<&'static str> {
        let chosen = chosen(&params(json)).unwrap();
        chosen.iter().map(|(_, variant)| variant.name).collect()
    }

    #[test]
    fn names_say_what_a_variant_is_and_stand_at_its_index() {
        assert_eq!(all().count(), COUNT);
        for (index, variant) in all() {
            let mut words = vec![word(variant.kernel)];
            words.extend(variant.width.map(word));
            words.extend((variant.stores == Some(Stores::Nt)).then(|| "nt".to_owned()));
            let name = words.join("_");
            assert_eq!(OPERATIONS[index], name);
            assert_eq!(variant.name, name);
        }
        assert_eq!(OPERATIONS[WAIT], "wait_for_others");
        assert_eq!(OPERATIONS[WARM], "warm_caches");
    }

    #[test]
    fn what_is_not_said_stands_for_all() {
        let everything = names(json!({}));
        assert!(everything.contains(&"read_scalar") && everything.contains(&"chase"));
        assert_eq!(names(json!({ "kernel": "chase" })), ["chase"]);
        assert_eq!(
            names(json!({ "kernel": "copy", "width": "scalar", "stores": "regular" })),
            ["copy_scalar"]
        );
        assert!(names(json!({ "width": "memcpy" })) == ["write_memcpy", "copy_memcpy"]);
    }

    #[test]
    fn what_there_is_not_is_refused_with_what_there_is() {
        for (json, field) in [
            (json!({ "kernel": "read", "stores": "nt" }), "params.stores"),
            (
                json!({ "kernel": "triad", "width": "memcpy" }),
                "params.width",
            ),
            (
                json!({ "width": "memcpy", "stores": "nt" }),
                "params.stores",
            ),
            (
                json!({ "kernel": "chase", "width": "scalar" }),
                "params.width",
            ),
        ] {
            let error = chosen(&params(json.clone())).unwrap_err();
            assert_eq!(error.path, field, "{json}");
            assert!(!error.hint.is_empty(), "{json}");
        }
        let foreign = if cfg!(target_arch = "x86_64") {
            "neon"
        } else {
            "avx2"
        };
        let error = chosen(&params(json!({ "width": foreign }))).unwrap_err();
        assert_eq!(error.path, "params.width");
        assert!(error.hint.contains("scalar"), "{error}");
    }

    #[test]
    fn widths_of_one_kernel_find_the_caches_as_they_leave_them() {
        let of_name = |name: &str| all().find(|(_, each)| each.name == name).unwrap().1;
        for (before, variant, follows) in [
            ("read_sse2", "read_scalar", true),
            ("copy_sse2", "copy_scalar", true),
            ("copy_sse2_nt", "copy_scalar", false),
            ("scale_scalar", "copy_scalar", false),
            ("copy_memcpy", "copy_rep", false),
            ("copy_memcpy", "copy_memcpy", true),
            ("chase", "chase", true),
        ] {
            assert_eq!(
                of_name(variant).follows(of_name(before)),
                follows,
                "{variant}"
            );
        }
        // In the order of their turns as few as can be must be preceded by a pass.
        let list: Vec<_> = all().map(|(_, variant)| variant).collect();
        let changes = list.windows(2).filter(|pair| !pair[1].follows(pair[0]));
        assert_eq!(changes.count(), 15);
    }

    #[test]
    fn bytes_are_counted_by_the_rule_of_stream_and_with_what_stores_read() {
        for (name, bytes, with_allocation) in [
            ("read_scalar", 10, json!(10)),
            ("write_scalar", 10, json!(20)),
            ("copy_scalar", 20, json!(30)),
            ("copy_scalar_nt", 20, json!(20)),
            ("copy_memcpy", 20, Value::Null),
            ("add_scalar", 30, json!(40)),
            ("triad_scalar", 30, json!(40)),
        ] {
            let (_, variant) = all().find(|(_, each)| each.name == name).unwrap();
            let described = variant.described(10, 0);
            assert_eq!(described["bytes"], bytes, "{name}");
            assert_eq!(
                described["bytes_with_allocation"], with_allocation,
                "{name}"
            );
        }
    }
}
