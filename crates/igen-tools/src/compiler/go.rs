//! What the compiler of Go writes into each program: its version, and the settings of the build.
//!
//! The section `.go.buildinfo` since Go 1.18: 16 bytes of mark, a flag, and from byte 32 on two texts, each with its
//! length as varint before it (package debug/buildinfo of Go's standard library).

const MARK: &[u8] = b"\xff Go buildinf:";
const IN_PLACE: u8 = 2;
/// Bytes at either end of the second text that mark it.
const FRAME: usize = 16;

/// Version and settings of a build.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GoBuild {
    pub(super) version: String,
    /// `key=value`, in Go's order.
    pub(super) settings: Vec<String>,
}

impl GoBuild {
    /// What the section says; none where it is no such section, or of an older Go.
    pub(super) fn parse(section: &[u8]) -> Option<Self> {
        if !section.starts_with(MARK) || section.get(15)? & IN_PLACE == 0 {
            return None;
        }
        let mut rest = section.get(32..)?;
        let version = text(&mut rest)?;
        let modules = text(&mut rest).unwrap_or_default();
        let inner = modules.get(FRAME..modules.len().saturating_sub(FRAME));
        let settings = String::from_utf8_lossy(inner.unwrap_or_default())
            .lines()
            .filter_map(|line| line.strip_prefix("build\t"))
            .map(|line| line.trim_matches('"').to_owned())
            .collect();
        Some(Self {
            version: String::from_utf8_lossy(version).into_owned(),
            settings,
        })
    }

    /// The value of a setting.
    pub(super) fn setting(&self, key: &str) -> Option<&str> {
        let found = self
            .settings
            .iter()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        found.map(|value| value.trim_matches('"'))
    }
}

fn text<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (mut length, mut shift) = (0_usize, 0);
    loop {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        length |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            break;
        }
        shift += 7;
    }
    let (text, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn version_and_settings_are_read() {
        let modules = format!(
            "{}path\tmain\nbuild\t-gcflags=\"-N -l\"\nbuild\tGOAMD64=v3\n{}",
            "x".repeat(16),
            "y".repeat(16)
        );
        let mut section = MARK.to_vec();
        section.resize(15, 8);
        section.push(IN_PLACE);
        section.resize(32, 0);
        section.push(8);
        section.extend(b"go1.26.1");
        section.push(u8::try_from(modules.len()).unwrap());
        section.extend(modules.as_bytes());
        let build = GoBuild::parse(&section).unwrap();
        assert_eq!(build.version, "go1.26.1");
        assert_eq!(build.setting("GOAMD64"), Some("v3"));
        assert_eq!(build.setting("-gcflags"), Some("-N -l"));
        assert_eq!(build.setting("CGO"), None);
        for length in 0..40 {
            assert_eq!(GoBuild::parse(&section[..length]), None, "{length}");
        }
    }
}
