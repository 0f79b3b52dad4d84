//! Input and output of the devices that stand below the job's files and devices.
//!
//! Reads: each device's `stat` in /sys. Which devices they are is looked up once, when the job begins:
//! those of the file system that holds a file, all devices of a btrfs file system, the disks below
//! mappings and arrays. So a mirrored write counts twice here and once in the workload. Loop
//! devices count as they are: what arrives at the file behind one, as the fact
//! `device.loop0.backing_file` names it, is I/O of another device.
//! Cost: 5 µs for each device. Requirements: a target `file://` that is not in memory.

use std::io;
use std::path::Path;

use igen_engine::Monitor;
use igen_engine::host::Emit;
use igen_job::event::{Event, Reading};
use igen_job::{Fact, JobError, facts};
use igen_storage::backing;
use igen_storage::block_device::BlockDevice;

use crate::block_io;
use crate::context::{Context, Monitors};
use igen_kernel::proc_file::ProcFile;

/// Scheme of the targets whose devices are followed.
pub(crate) const SCHEME: &str = "file";

pub(crate) struct Device {
    devices: Vec<(String, ProcFile)>,
    emit: Emit,
}

impl Device {
    pub(crate) const NAME: &'static str = "device";

    /// None where no target is a file or device.
    pub(crate) fn open(context: &Context) -> io::Result<Monitors> {
        let targets = context.targets.iter();
        let paths: Vec<&str> = targets
            .filter_map(|target| target.strip_prefix(SCHEME)?.strip_prefix("://"))
            .collect();
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let mut devices: Vec<BlockDevice> = Vec::new();
        let mut without = Vec::new();
        for path in paths {
            let below = backing::of(Path::new(path))?;
            if below.devices.is_empty() {
                let kind = below.file_system.unwrap_or_default();
                without.push(format!("{path} ({kind})"));
            }
            for device in below.devices {
                if !devices.contains(&device) {
                    devices.push(device);
                }
            }
        }
        if devices.is_empty() {
            let text = format!("no block device is below {}", without.join(", "));
            return Err(io::Error::new(io::ErrorKind::NotFound, text));
        }
        for device in &devices {
            for fact in facts(device) {
                (context.emit)(Event::Fact(fact));
            }
        }
        let opened = devices.iter().map(|device| {
            let stat = ProcFile::open(device.stat_file().to_string_lossy())?;
            Ok((device.name.clone(), stat))
        });
        let monitor = Self {
            devices: opened.collect::<io::Result<_>>()?,
            emit: context.emit.clone(),
        };
        Ok(vec![Box::new(monitor)])
    }
}

impl Monitor for Device {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn read(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        let emit = &self.emit;
        // One that was unplugged must not hide the others.
        self.devices.retain_mut(|(name, stat)| match stat.read() {
            Ok(fields) => {
                readings.push(block_io::reading(Self::NAME, name, &fields));
                true
            }
            Err(error) => {
                let text = format!("cannot read the device {name} any more: {error}");
                emit(Event::Warning(JobError::at("monitors", text)));
                false
            }
        });
        Ok(())
    }
}

/// What a reader must know of a device to believe its figures.
fn facts(device: &BlockDevice) -> Vec<Fact> {
    let name = &device.name;
    let model = device.model();
    let file = device.backing_file();
    [
        Some(facts::DEVICE_SIZE_BYTES.of(name, device.size_bytes())),
        model.map(|model| facts::DEVICE_MODEL.of(name, model)),
        file.map(|file| facts::DEVICE_BACKING_FILE.of(name, file.to_string_lossy())),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::{Arc, Mutex};

    use igen_engine::Clock;

    use super::*;

    fn context(targets: &[String], events: &Arc<Mutex<Vec<Event>>>) -> Context {
        let events = Arc::clone(events);
        let emit: Emit = Arc::new(move |event| events.lock().unwrap().push(event));
        Context::new(&[], targets, emit, Clock::start())
    }

    #[test]
    fn other_targets_have_none() {
        let context = context(&["sqlite:///x.db".to_owned()], &Arc::default());
        assert!(Device::open(&context).unwrap().is_empty());
    }

    #[test]
    fn the_device_of_a_file_is_read_once_for_all_files_on_it() {
        let folder = tempfile::tempdir().unwrap();
        let url = |name: &str| format!("file://{}", folder.path().join(name).display());
        let events = Arc::default();
        let context = context(&[url("a"), url("b")], &events);
        // A container's folders may be on no block device at all.
        let Ok(mut monitors) = Device::open(&context) else {
            let below = backing::of(folder.path()).unwrap();
            assert!(below.devices.is_empty());
            return;
        };
        let mut readings = Vec::new();
        monitors[0].read(&mut readings).unwrap();
        let below = backing::of(folder.path()).unwrap().devices;
        assert_eq!(readings.len(), below.len());
        for (reading, device) in readings.iter().zip(&below) {
            assert_eq!(reading.subject, device.name);
            assert!(reading.counters["reads"] > 0.0, "{reading:?}");
            let size = facts::DEVICE_SIZE_BYTES.of(&device.name, device.size_bytes());
            let expected = Event::Fact(size);
            assert!(events.lock().unwrap().contains(&expected));
        }
    }

    #[test]
    fn what_is_in_memory_is_on_no_device() {
        let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
            return;
        };
        let url = format!("file://{}", folder.path().join("a").display());
        let error = Device::open(&context(&[url], &Arc::default()))
            .err()
            .unwrap();
        assert!(error.to_string().contains("(tmpfs)"), "{error}");
    }

    #[test]
    fn a_device_that_has_gone_is_told_and_the_others_are_read() {
        let stays = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(stays.path(), "1 0 8 2 3 0 8 4 0 5 6\n").unwrap();
        // A process that ends takes its files in /proc with it, as a device does in /sys.
        let mut process = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let stat = ProcFile::open(format!("/proc/{}/stat", process.id())).unwrap();
        process.kill().unwrap();
        process.wait().unwrap();

        let events: Arc<Mutex<Vec<Event>>> = Arc::default();
        let mut monitor = Device {
            devices: vec![
                ("gone".to_owned(), stat),
                (
                    "stays".to_owned(),
                    ProcFile::open(stays.path().to_string_lossy()).unwrap(),
                ),
            ],
            emit: context(&[], &events).emit,
        };
        let mut readings = Vec::new();
        monitor.read(&mut readings).unwrap();
        monitor.read(&mut readings).unwrap();
        let subjects: Vec<&str> = readings.iter().map(|one| &*one.subject).collect();
        assert_eq!(subjects, ["stays", "stays"]);
        let events = events.lock().unwrap();
        let [Event::Warning(warning)] = &events[..] else {
            panic!("{events:?}");
        };
        assert!(warning.text.contains("gone"), "{warning}");
    }
}
