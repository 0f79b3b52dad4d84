//! Studies that measure an advice: the same load with and without it, in turns.

use super::area::Area;
use super::check::Check;

/// A check, and the file of its study.
type Study = (Area, &'static str, &'static str);

/// THE list.
const STUDIES: &[Study] = &[
    (
        Area::Host,
        "transparent huge pages",
        "studies/advice-huge-pages.toml",
    ),
    (
        Area::Mariadb,
        "buffer pool",
        "studies/advice-buffer-pool.toml",
    ),
    (
        Area::Postgresql,
        "commits wait for the disk",
        "studies/advice-commits.toml",
    ),
];

/// The study that measures the advice of a check; none where there is none.
pub(super) fn of(check: &Check) -> Option<&'static str> {
    let study = STUDIES
        .iter()
        .find(|(area, name, _)| *area == check.area && *name == check.name);
    study.map(|(.., file)| *file)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::LISTS;
    use super::*;

    #[test]
    fn each_study_is_there_and_belongs_to_a_check() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let found: Vec<&str> = LISTS.into_iter().flatten().filter_map(of).collect();
        assert_eq!(found.len(), STUDIES.len());
        for file in found {
            assert!(root.join(file).is_file(), "{file}");
        }
    }
}
