//! A block device as the kernel shows it in /sys.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{major, minor};

/// The unit of sizes in /sys, whatever the device's own sector is.
const SECTOR_BYTES: u64 = 512;

/// Major number of RAM disks, in the kernel's Documentation/admin-guide/devices.txt.
const RAM_DISKS: u32 = 1;

/// Where the kernel says which device it is, rather than how it is called today.
const NAMES_OF_ITS_OWN: [&str; 9] = [
    "wwid",
    "serial",
    "device/wwid",
    "device/serial",
    "device/cid",
    "device/model",
    "dm/uuid",
    "md/uuid",
    "loop/backing_file",
];

/// A whole block device or a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockDevice {
    /// Its folder in /sys.
    folder: PathBuf,
    /// The kernel's name: `sda1`, `dm-0`, `cciss/c0d0`.
    pub name: String,
    /// Major and minor number.
    pub number: (u32, u32),
}

impl BlockDevice {
    /// The device whose node `path` is. `InvalidInput` where it is no node of a block device.
    pub fn at(path: &Path) -> io::Result<Self> {
        Self::of(&fs::metadata(path)?).map_err(|error| {
            if error.kind() != io::ErrorKind::InvalidInput {
                return error;
            }
            let text = format!("{} is not a block device", path.display());
            io::Error::new(error.kind(), text)
        })
    }

    /// The device that has this `metadata`. `InvalidInput` where it is of something else.
    pub fn of(metadata: &fs::Metadata) -> io::Result<Self> {
        if !metadata.file_type().is_block_device() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let number = metadata.rdev();
        Self::with_number((major(number), minor(number)))
    }

    /// The device with these major and minor numbers.
    pub fn with_number((major, minor): (u32, u32)) -> io::Result<Self> {
        let link = format!("/sys/dev/block/{major}:{minor}");
        Self::in_folder(&fs::canonicalize(link)?)
    }

    /// The device with the kernel's name, which folders of holders, slaves and members use.
    pub fn named(name: &str) -> io::Result<Self> {
        let link = Path::new("/sys/class/block").join(name.replace('/', "!"));
        Self::in_folder(&fs::canonicalize(link)?)
    }

    fn in_folder(folder: &Path) -> io::Result<Self> {
        let numbers = fs::read_to_string(folder.join("dev"))?;
        let number = numbers.trim().split_once(':').and_then(|(major, minor)| {
            Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
        });
        Ok(Self {
            name: file_name(folder).replace('!', "/"),
            number: number.ok_or(io::ErrorKind::InvalidData)?,
            folder: folder.to_owned(),
        })
    }

    /// Its node, as people name it: `/dev/sda1`, `/dev/mapper/data`.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        match self.text("dm/name") {
            Some(mapping) => Path::new("/dev/mapper").join(mapping),
            None => Path::new("/dev").join(&self.name),
        }
    }

    /// 0 for a drive without medium and a loop device without file.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        let sectors = self.text("size").and_then(|text| text.parse::<u64>().ok());
        sectors.unwrap_or(0) * SECTOR_BYTES
    }

    /// What the device says that it is; none for most virtual ones, and for partitions.
    #[must_use]
    pub fn model(&self) -> Option<String> {
        self.text("device/model")
    }

    /// A number that tells it from other devices, also when it is called otherwise after a reboot: a hash of
    /// what it says of itself, its size, and the place of a partition; never 0. Devices without a name of
    /// their own have the same where their sizes are the same.
    #[must_use]
    pub fn identity(&self) -> u64 {
        let whole = self.whole();
        let whole = whole.as_ref().unwrap_or(self);
        let names = NAMES_OF_ITS_OWN.iter().map(|file| whole.text(file));
        let place = self.text("partition").and_then(|_| self.text("start"));
        let size = [self.size_bytes(), whole.size_bytes()].map(|bytes| Some(bytes.to_string()));
        let all = names.chain([place]).chain(size);
        // FNV-1a, each text with an end of its own.
        let hash = all.fold(0xcbf2_9ce4_8422_2325_u64, |hash, text| {
            let text = text.unwrap_or_default() + "\n";
            text.bytes().fold(hash, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
        });
        hash.max(1)
    }

    /// Returns true if the kernel refuses to write to it; opening it for writing succeeds all the same.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.text("ro").as_deref() == Some("1")
    }

    /// Returns true for a RAM disk and for compressed memory (zram).
    #[must_use]
    pub fn is_memory(&self) -> bool {
        self.number.0 == RAM_DISKS || self.folder.join("mm_stat").exists()
    }

    /// Place of the first byte of a loop device in the file behind it.
    #[must_use]
    pub fn backing_offset(&self) -> u64 {
        let offset = self.text("loop/offset").and_then(|text| text.parse().ok());
        offset.unwrap_or(0)
    }

    /// The file behind a loop device.
    #[must_use]
    pub fn backing_file(&self) -> Option<PathBuf> {
        self.text("loop/backing_file").map(PathBuf::from)
    }

    /// Its partitions, in the order of their names.
    #[must_use]
    pub fn partitions(&self) -> Vec<Self> {
        names(&self.folder)
            .iter()
            .map(|name| self.folder.join(name))
            .filter(|folder| folder.join("partition").exists())
            .filter_map(|folder| Self::in_folder(&folder).ok())
            .collect()
    }

    /// The device that this one is a partition of.
    #[must_use]
    pub fn whole(&self) -> Option<Self> {
        self.folder.join("partition").exists().then_some(())?;
        Self::in_folder(self.folder.parent()?).ok()
    }

    /// Mappings, arrays and caches that stand on this device.
    #[must_use]
    pub fn holders(&self) -> Vec<Self> {
        self.linked("holders")
    }

    /// The devices that a mapping or an array stands on.
    #[must_use]
    pub fn slaves(&self) -> Vec<Self> {
        self.linked("slaves")
    }

    /// Loop devices whose file this device is.
    #[must_use]
    pub fn loops(&self) -> Vec<Self> {
        loops_of(|behind| Self::of(behind).is_ok_and(|behind| behind.number == self.number))
    }

    /// The kernel's counters of its input and output (Documentation/block/stat.rst), one line.
    #[must_use]
    pub fn stat_file(&self) -> PathBuf {
        self.folder.join("stat")
    }

    fn linked(&self, folder: &str) -> Vec<Self> {
        let names = names(&self.folder.join(folder));
        let devices = names.iter().filter_map(|name| Self::named(name).ok());
        devices.collect()
    }

    fn text(&self, file: &str) -> Option<String> {
        let text = fs::read_to_string(self.folder.join(file)).ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

/// Loop devices behind which there is a file or device with such metadata.
pub(super) fn loops_of(is_meant: impl Fn(&fs::Metadata) -> bool) -> Vec<BlockDevice> {
    names(Path::new("/sys/block"))
        .iter()
        .filter_map(|name| BlockDevice::named(name).ok())
        .filter(|device| {
            let behind = device
                .backing_file()
                .and_then(|file| fs::metadata(file).ok());
            behind.as_ref().is_some_and(&is_meant)
        })
        .collect()
}

/// A mounted btrfs file system, which may have many devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Btrfs {
    /// Its name among its kind.
    pub uuid: String,
    /// Where it has been given one.
    pub label: Option<String>,
    /// The kernel's names of its devices.
    pub members: Vec<String>,
}

/// The btrfs file systems that are mounted, by `/sys/fs/btrfs`.
#[must_use]
pub fn btrfs() -> Vec<Btrfs> {
    let root = Path::new("/sys/fs/btrfs");
    let folders = names(root).into_iter();
    let file_systems = folders.filter(|name| root.join(name).join("devices").is_dir());
    file_systems
        .map(|uuid| {
            let folder = root.join(&uuid);
            let label = fs::read_to_string(folder.join("label")).unwrap_or_default();
            Btrfs {
                label: Some(label.trim().to_owned()).filter(|label| !label.is_empty()),
                members: names(&folder.join("devices")),
                uuid,
            }
        })
        .collect()
}

/// The names in a folder, sorted; none where it is not there.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| file_name(&entry.path())).collect();
    names.sort_by_key(|name| (name.len(), name.clone()));
    names
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
