//! Signatures: bytes at known places by which file systems, volume managers and partition tables
//! are told. The places are those that the formats themselves define, and that wipefs(8) erases.

use std::fmt;

/// Bytes at the begin of a device that are looked at: the last magic there is that of VMFS.
pub(super) const HEAD_BYTES: u64 = (1 << 20) + 4096;
/// Bytes at the end: the copies of a ZFS label are the furthest from it.
pub(super) const TAIL_BYTES: u64 = 1 << 20;

/// What a device was found to carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// In words: `ext4 file system`, `GPT partition table`.
    pub what: String,
    /// The name that somebody gave it.
    pub label: Option<String>,
    /// Where its magic is, from the begin of the device.
    pub offset: u64,
}

impl fmt::Display for Signature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.label {
            Some(label) => write!(formatter, "{} \"{label}\"", self.what),
            None => write!(formatter, "{}", self.what),
        }
    }
}

/// A place on a device.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// Bytes from the begin.
    Begin(u64),
    /// Bytes from the end.
    End(u64),
    /// Bytes from the end of the last whole unit: (unit, bytes before that end).
    EndOfUnits(u64, u64),
}

use Place::{Begin, End, EndOfUnits};

struct Format {
    what: &'static str,
    /// A copy of the magic at any of them is enough.
    places: &'static [Place],
    magic: &'static [u8],
    /// More bytes that must be there: (bytes after the magic's begin, may be negative; bytes).
    also: &'static [(i64, &'static [u8])],
    /// (bytes after the magic's begin, may be negative; length).
    label: Option<(i64, usize)>,
}

impl Format {
    const fn new(what: &'static str, places: &'static [Place], magic: &'static [u8]) -> Self {
        Self {
            what,
            places,
            magic,
            also: &[],
            label: None,
        }
    }

    const fn also(mut self, also: &'static [(i64, &'static [u8])]) -> Self {
        self.also = also;
        self
    }

    const fn labelled(mut self, after: i64, length: usize) -> Self {
        self.label = Some((after, length));
        self
    }
}

/// What every block that iGen writes to a device begins with.
pub const STAMP_MAGIC: [u8; 8] = *b"iGenIO1\n";
const UNKNOWN: &str = "data of an unknown kind";
const SECTOR_BYTES: usize = 512;

const MD: &[u8] = b"\xfc\x4e\x2b\xa9";
const ONE: &[u8] = b"\x01\0\0\0";

/// Short magics stand with other bytes that the format fixes, so that random data is not mistaken.
const FORMATS: &[Format] = &[
    Format::new(EXT, &[Begin(0x438)], b"\x53\xef")
        // Block size and revision are small numbers.
        .also(&[(-0x1f, b"\0\0\0"), (0x15, b"\0\0\0")])
        .labelled(0x40, 16),
    Format::new("XFS file system", &[Begin(0)], b"XFSB").labelled(108, 12),
    Format::new("XFS log", &[Begin(0)], b"\xfe\xed\xba\xbe"),
    Format::new("btrfs file system", &[Begin(0x1_0040)], b"_BHRfS_M").labelled(0xeb, 256),
    Format::new("NTFS file system", &[Begin(3)], b"NTFS    "),
    Format::new("exFAT file system", &[Begin(3)], b"EXFAT   "),
    Format::new("ReFS file system", &[Begin(3)], b"ReFS\0\0\0\0"),
    Format::new("BitLocker volume", &[Begin(3)], b"-FVE-FS-"),
    Format::new("FAT file system", &[Begin(0x36)], b"FAT12   ").labelled(-11, 11),
    Format::new("FAT file system", &[Begin(0x36)], b"FAT16   ").labelled(-11, 11),
    Format::new("FAT file system", &[Begin(0x52)], b"FAT32   ").labelled(-11, 11),
    Format::new("F2FS file system", &[Begin(0x400)], b"\x10\x20\xf5\xf2"),
    Format::new("NILFS2 file system", &[Begin(0x406)], b"\x34\x34").also(&[(-6, b"\x02\0\0\0")]),
    Format::new("ReiserFS file system", &[Begin(0x1_0034)], b"ReIsEr"),
    Format::new("JFS file system", &[Begin(0x8000)], b"JFS1"),
    Format::new("GFS2 file system", &[Begin(0x1_0000)], b"\x01\x16\x19\x70"),
    Format::new(
        "OCFS2 file system",
        &[Begin(0x400), Begin(0x800), Begin(0x1000), Begin(0x2000)],
        b"OCFSV2",
    ),
    Format::new("UFS file system", &[Begin(0x255c)], b"\x54\x19\x01\0"),
    Format::new("UFS2 file system", &[Begin(0x1_055c)], b"\x19\x01\x54\x19"),
    Format::new("HFS+ file system", &[Begin(0x400)], b"H+\0\x04"),
    Format::new("HFSX file system", &[Begin(0x400)], b"HX\0\x05"),
    Format::new("APFS container", &[Begin(32)], b"NXSB"),
    Format::new("SquashFS file system", &[Begin(0)], b"hsqs"),
    Format::new("EROFS file system", &[Begin(0x400)], b"\xe2\xe1\xf5\xe0").labelled(64, 16),
    Format::new("ISO 9660 file system", &[Begin(0x8001)], b"CD001").labelled(0x27, 32),
    Format::new("UDF file system", &[Begin(0x8001)], b"BEA01"),
    Format::new("VMFS volume", &[Begin(0x10_0000)], b"\x0d\xd0\x01\xc0"),
    Format::new(
        "bcachefs file system",
        &[Begin(0x1018)],
        b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef",
    ),
    Format::new(
        "bcache device",
        &[Begin(0x1018)],
        b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81",
    ),
    // The list of names and values in a label, as XDR, begins with the name "version".
    Format::new(
        "ZFS pool member",
        &[
            Begin(0x4018),
            Begin(0x4_4018),
            EndOfUnits(0x4_0000, 0x8_0000 - 0x4018),
            EndOfUnits(0x4_0000, 0x4_0000 - 0x4018),
        ],
        b"version\0",
    )
    .also(&[(-4, b"\0\0\0\x07")]),
    Format::new(
        "LVM physical volume",
        &[Begin(0), Begin(512), Begin(1024), Begin(1536)],
        b"LABELONE",
    )
    .also(&[(24, b"LVM2 001")]),
    Format::new("LUKS encrypted volume", &[Begin(0)], b"LUKS\xba\xbe"),
    Format::new(
        "LUKS encrypted volume (second header)",
        &[
            Begin(0x4000),
            Begin(0x8000),
            Begin(0x1_0000),
            Begin(0x2_0000),
            Begin(0x4_0000),
            Begin(0x8_0000),
        ],
        b"SKUL\xba\xbe",
    ),
    Format::new(
        "MD RAID member",
        &[Begin(0), Begin(4096), EndOfUnits(4096, 8192)],
        MD,
    )
    .also(&[(4, ONE)])
    .labelled(32, 32),
    Format::new(
        "MD RAID member (0.90)",
        &[EndOfUnits(0x1_0000, 0x1_0000)],
        MD,
    )
    .also(&[(4, b"\0\0\0\0")]),
    Format::new("DDF RAID member", &[End(512)], b"\xde\x11\xde\x11"),
    Format::new("Intel RAID member", &[End(1024)], b"Intel Raid ISM Cfg"),
    Format::new(
        "DRBD device",
        &[EndOfUnits(4096, 4096 - 60)],
        b"\x83\x74\x02\x6b",
    ),
    Format::new(
        "DRBD device",
        &[EndOfUnits(4096, 4096 - 60)],
        b"\x83\x74\x02\x6d",
    ),
    Format::new("dm-integrity device", &[Begin(0)], b"integrt\0"),
    Format::new("dm-verity hashes", &[Begin(0)], b"verity\0\0"),
    Format::new("VDO volume", &[Begin(0)], b"dmvdo001"),
    Format::new("Oracle ASM disk", &[Begin(32)], b"ORCLDISK"),
    Format::new(
        "Ceph BlueStore device",
        &[Begin(0)],
        b"bluestore block device",
    ),
    Format::new(
        "Stratis pool member",
        &[Begin(0x204), Begin(0x1204)],
        b"!Stra0tis\x86\xff\x02^\x41rh",
    ),
    Format::new("swap area", &[Begin(4096 - 10)], b"SWAPSPACE2").labelled(0x41c - 4086, 16),
    Format::new(
        "swap area",
        &[Begin(8192 - 10), Begin(16_384 - 10), Begin(65_536 - 10)],
        b"SWAPSPACE2",
    ),
    Format::new("hibernation image", &[Begin(4096 - 10)], b"S1SUSPEND"),
    Format::new(
        "GPT partition table",
        &[Begin(512), Begin(4096)],
        b"EFI PART",
    ),
    Format::new(
        "GPT partition table (copy at the end)",
        &[End(512), End(4096)],
        b"EFI PART",
    ),
];

/// The ends of a device, and how long it is.
pub(super) struct Ends {
    pub(super) size_bytes: u64,
    /// The first [`HEAD_BYTES`], or all.
    pub(super) head: Vec<u8>,
    /// The last [`TAIL_BYTES`], or all.
    pub(super) tail: Vec<u8>,
}

impl Ends {
    /// The bytes at an offset, if they were read.
    fn at(&self, offset: u64, length: usize) -> Option<&[u8]> {
        let within = |bytes: &[u8], begin: u64| {
            let from = usize::try_from(offset.checked_sub(begin)?).ok()?;
            let to = from.checked_add(length)?;
            (to <= bytes.len()).then_some(from..to)
        };
        if let Some(range) = within(&self.head, 0) {
            return Some(&self.head[range]);
        }
        let begin = self.size_bytes.checked_sub(self.tail.len() as u64)?;
        within(&self.tail, begin).map(|range| &self.tail[range])
    }

    fn has(&self, offset: u64, expected: &[u8]) -> bool {
        self.at(offset, expected.len()) == Some(expected)
    }

    fn offset(&self, place: Place) -> Option<u64> {
        match place {
            Begin(offset) => Some(offset),
            End(before) => self.size_bytes.checked_sub(before),
            EndOfUnits(unit, before) => {
                (self.size_bytes - self.size_bytes % unit).checked_sub(before)
            }
        }
    }
}

/// Every signature that the ends of a device carry, each format once.
pub(super) fn find(ends: &Ends) -> Vec<Signature> {
    let mut found: Vec<Signature> = Vec::new();
    for format in FORMATS {
        let offset = format
            .places
            .iter()
            .filter_map(|place| ends.offset(*place))
            .find(|offset| matches(ends, format, *offset));
        if let Some(offset) = offset {
            found.push(Signature {
                what: match format.what {
                    EXT => ext(ends, offset).to_owned(),
                    what => what.to_owned(),
                },
                label: format.label.and_then(|label| text(ends, offset, label)),
                offset,
            });
        }
    }
    let boot_sector = |one: &Signature| one.offset < 512 || one.what.starts_with("GPT");
    if !found.iter().any(boot_sector) && is_mbr(ends) {
        found.push(Signature {
            what: "MBR partition table".to_owned(),
            label: None,
            offset: MBR_OFFSET,
        });
    }
    if found.is_empty()
        && let Some(offset) = unknown_data(&ends.head)
    {
        found.push(Signature {
            what: UNKNOWN.to_owned(),
            label: None,
            offset,
        });
    }
    found
}

/// Where data begins that nothing explains: after bytes that are all alike, as erased ones are, and
/// without the stamp of iGen's own. Of what iGen has written, in whatever order, the first sector begins
/// a block, and so has a stamp.
fn unknown_data(head: &[u8]) -> Option<u64> {
    let blank = head.first()?;
    let begin = head.iter().position(|byte| byte != blank)? / SECTOR_BYTES * SECTOR_BYTES;
    (!head[begin..].starts_with(&STAMP_MAGIC)).then_some(begin as u64)
}

fn matches(ends: &Ends, format: &Format, offset: u64) -> bool {
    let also = |(after, expected): &(i64, &[u8])| {
        let place = offset.checked_add_signed(*after);
        place.is_some_and(|place| ends.has(place, expected))
    };
    ends.has(offset, format.magic) && format.also.iter().all(also)
}

/// A name that ends at its first zero or in blanks.
fn text(ends: &Ends, offset: u64, (after, length): (i64, usize)) -> Option<String> {
    let bytes = ends.at(offset.checked_add_signed(after)?, length)?;
    let name = bytes.split(|byte| *byte == 0).next()?;
    let name = String::from_utf8_lossy(name).trim().to_owned();
    let shown = !name.is_empty() && name != "NO NAME" && !name.contains(char::is_control);
    shown.then_some(name)
}

/// Which of the family it is: flags of features follow the magic.
fn ext(ends: &Ends, magic: u64) -> &'static str {
    let flags = |after| {
        let bytes = ends
            .at(magic + after, 4)
            .and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u32::from_le_bytes)
    };
    let (compatible, incompatible) = (flags(0x24), flags(0x28));
    if incompatible & EXT4_FEATURES != 0 {
        "ext4 file system"
    } else if compatible & EXT3_JOURNAL != 0 {
        "ext3 file system"
    } else {
        "ext2 file system"
    }
}

const EXT: &str = "ext file system";
const EXT3_JOURNAL: u32 = 0x4;
/// Extents, 64 bits, flexible groups.
const EXT4_FEATURES: u32 = 0x40 | 0x80 | 0x200;

const MBR_OFFSET: u64 = 0x1fe;

/// Two bytes of magic, and in each of the four entries a mark for booting that is 0 or 0x80.
fn is_mbr(ends: &Ends) -> bool {
    let entries = ends.at(0x1be, 64).unwrap_or_default();
    let marks = entries
        .chunks_exact(16)
        .all(|entry| matches!(entry[0], 0 | 0x80));
    ends.has(MBR_OFFSET, b"\x55\xaa") && marks
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    /// A device of this size with these bytes at these places.
    fn device(size_bytes: u64, parts: &[(u64, &[u8])]) -> Ends {
        let mut all = vec![0; usize::try_from(size_bytes).unwrap()];
        for (offset, bytes) in parts {
            let offset = usize::try_from(*offset).unwrap();
            all[offset..offset + bytes.len()].copy_from_slice(bytes);
        }
        let head = usize::try_from(HEAD_BYTES).unwrap().min(all.len());
        let tail = usize::try_from(TAIL_BYTES).unwrap().min(all.len());
        Ends {
            size_bytes,
            head: all[..head].to_vec(),
            tail: all[all.len() - tail..].to_vec(),
        }
    }

    fn words(ends: &Ends) -> Vec<String> {
        find(ends).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_format_is_found_at_each_of_its_places() {
        const SIZE_BYTES: u64 = (4 << 20) + 0x1_2200;
        for format in FORMATS {
            for place in format.places {
                let empty = device(SIZE_BYTES, &[]);
                let offset = empty.offset(*place).unwrap();
                let mut parts = vec![(offset, format.magic)];
                for (after, bytes) in format.also {
                    parts.push((offset.checked_add_signed(*after).unwrap(), bytes));
                }
                let found = find(&device(SIZE_BYTES, &parts));
                assert_eq!(found.len(), 1, "{} {place:?}: {found:?}", format.what);
                assert_eq!(found[0].offset, offset);
                let family = format.what.trim_start_matches("ext");
                assert!(found[0].what.ends_with(family), "{found:?}");
            }
        }
    }

    #[test]
    fn what_must_be_beside_a_short_magic() {
        let magic: (u64, &[u8]) = (0x438, b"\x53\xef");
        assert_eq!(words(&device(1 << 20, &[magic])), ["ext2 file system"]);
        let random: (u64, &[u8]) = (0x418, b"\x71\x12\x99\x03");
        assert_eq!(words(&device(1 << 20, &[magic, random])), [UNKNOWN]);
        let other = device(1 << 20, &[(4096, MD), (4100, b"\x07")]);
        assert_eq!(words(&other), [UNKNOWN]);
    }

    #[test]
    fn ext_is_told_apart_by_its_features() {
        let magic: (u64, &[u8]) = (0x438, b"\x53\xef");
        let journal: (u64, &[u8]) = (0x45c, b"\x04");
        let extents: (u64, &[u8]) = (0x460, b"\x40");
        let label: (u64, &[u8]) = (0x478, b"data\0old");
        assert_eq!(
            words(&device(1 << 20, &[magic, journal])),
            ["ext3 file system"]
        );
        assert_eq!(
            words(&device(1 << 20, &[magic, journal, extents, label])),
            ["ext4 file system \"data\""]
        );
    }

    #[test]
    fn a_boot_sector_is_a_partition_table_unless_it_is_a_file_systems() {
        let magic: (u64, &[u8]) = (0x1fe, b"\x55\xaa");
        assert_eq!(words(&device(1 << 20, &[magic])), ["MBR partition table"]);
        let other = device(1 << 20, &[magic, (0x1ce, b"\x33")]);
        assert_eq!(words(&other), [UNKNOWN]);
        let fat: (u64, &[u8]) = (0x52, b"FAT32   ");
        let name: (u64, &[u8]) = (0x47, b"NO NAME    ");
        assert_eq!(
            words(&device(1 << 20, &[magic, fat, name])),
            ["FAT file system"]
        );
        let gpt: (u64, &[u8]) = (512, b"EFI PART");
        assert_eq!(
            words(&device(1 << 20, &[magic, gpt])),
            ["GPT partition table"]
        );
    }

    #[test]
    fn an_empty_or_tiny_device_carries_nothing() {
        for size_bytes in [0, 1, 511, 512, 4096, 3 << 20] {
            assert!(find(&device(size_bytes, &[])).is_empty(), "{size_bytes}");
        }
        let erased = vec![0xff; 1 << 20];
        assert!(find(&device(1 << 20, &[(0, &erased)])).is_empty());
    }

    #[test]
    fn data_of_others_is_told_and_that_of_igen_is_not() {
        let stamped: &[u8] = b"iGenIO1\n and a number";
        for (parts, unknown) in [
            (&[(0, stamped)][..], false),
            (&[(0, stamped), (9000, b"random")], false),
            // The first blocks were never hit.
            (&[(0x6000, stamped), (0x7000, b"random")], false),
            (&[(0, b"a backup")], true),
            (&[(1, stamped)], true),
            (&[(0x6001, stamped)], true),
            (&[(0x5fff, b"x"), (0x6000, stamped)], true),
            (&[(0xf_ffff, b"x")], true),
        ] {
            let found = words(&device(2 << 20, parts));
            let expected = if unknown {
                vec![UNKNOWN.to_owned()]
            } else {
                vec![]
            };
            assert_eq!(found, expected, "{parts:?}");
        }
    }

    proptest! {
        #[test]
        fn random_data_is_of_no_known_kind(bytes in prop::collection::vec(any::<u8>(), 70_000)) {
            let ends = Ends { size_bytes: 70_000, head: bytes.clone(), tail: bytes };
            prop_assert_eq!(words(&ends), [UNKNOWN]);
        }
    }
}
