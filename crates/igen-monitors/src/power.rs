//! What the host's own meters say it draws.
//!
//! Reads: `/sys/class/powercap/intel-rapl:*` (processor packages and the memory beside them, on AMD
//! too; `psys`, where there is one, is the whole platform) as `energy_j`, and
//! `/sys/class/hwmon/*/power*_{average,input}` (supplies, boards, cards) as `power_w`. A part lies
//! within its whole: `package-0 core` within `package-0`, so meters do not add up.
//! Cost: 2 µs for each meter. Requirements: a host that is no guest; energy is for root alone to read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use igen_engine::Monitor;
use igen_engine::host::Emit;
use igen_job::JobError;
use igen_job::event::{Event, Reading};

use crate::values::values;
use igen_kernel::proc_file::ProcFile;

const ZONE: &str = "intel-rapl:";

pub(crate) struct Power {
    meters: Vec<Meter>,
    emit: Emit,
}

struct Meter {
    subject: String,
    file: ProcFile,
    says: Says,
}

enum Says {
    /// Microwatts at this moment, or averaged by the meter.
    Power,
    /// Microjoules since some moment, from 0 again after `range_uj`.
    Energy {
        range_uj: u64,
        last_uj: u64,
        sum_uj: u64,
    },
}

impl Power {
    pub(crate) const NAME: &'static str = "power";

    pub(crate) fn open(emit: Emit) -> io::Result<Self> {
        Self::below(Path::new("/sys/class"), emit)
    }

    fn below(class: &Path, emit: Emit) -> io::Result<Self> {
        let mut meters = zones(&class.join("powercap"))?;
        meters.extend(sensors(&class.join("hwmon")));
        if meters.is_empty() {
            let text = format!(
                "no power meter in powercap or hwmon below {}",
                class.display()
            );
            return Err(io::Error::new(io::ErrorKind::NotFound, text));
        }
        Ok(Self { meters, emit })
    }
}

impl Monitor for Power {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn read(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        let emit = &self.emit;
        // One that fails, as that of a card which falls asleep, must not hide the others.
        self.meters.retain_mut(|meter| match meter.read() {
            Ok(reading) => {
                readings.push(reading);
                true
            }
            Err(error) => {
                let text = format!(
                    "cannot read the power of {} any more: {error}",
                    meter.subject
                );
                emit(Event::Warning(JobError::at("monitors", text)));
                false
            }
        });
        Ok(())
    }
}

impl Meter {
    fn power(subject: String, path: &Path) -> io::Result<Self> {
        let (file, _) = opened(path)?;
        Ok(Self {
            subject,
            file,
            says: Says::Power,
        })
    }

    fn energy(subject: String, path: &Path, range_uj: u64) -> io::Result<Self> {
        let (file, last_uj) = opened(path)?;
        Ok(Self {
            subject,
            file,
            says: Says::Energy {
                range_uj,
                last_uj,
                sum_uj: 0,
            },
        })
    }

    fn read(&mut self) -> io::Result<Reading> {
        let now = number(&self.file.read()?)?;
        let mut reading = Reading {
            monitor: Power::NAME.to_owned(),
            subject: self.subject.clone(),
            ..Reading::default()
        };
        match &mut self.says {
            Says::Power => {
                reading.gauges = values([("power_w", Some(now as f64 / 1e6))]);
            }
            Says::Energy {
                range_uj,
                last_uj,
                sum_uj,
            } => {
                *sum_uj += match now.checked_sub(*last_uj) {
                    Some(grown) => grown,
                    None => now + range_uj.saturating_sub(*last_uj),
                };
                *last_uj = now;
                reading.counters = values([("energy_j", Some(*sum_uj as f64 / 1e6))]);
            }
        }
        Ok(reading)
    }
}

/// Zones of RAPL: `intel-rapl:0` with its parts `intel-rapl:0:0` and so on. Zones that may not be
/// read are an error: they would be missed in silence.
fn zones(powercap: &Path) -> io::Result<Vec<Meter>> {
    let names: BTreeMap<String, (PathBuf, String)> = folders(powercap)
        .filter_map(|folder| {
            let id = folder.file_name()?.to_str()?.strip_prefix(ZONE)?.to_owned();
            let name = text(&folder, "name")?;
            Some((id, (folder, name)))
        })
        .collect();
    names
        .iter()
        .map(|(id, (folder, name))| {
            let whole = id.rsplit_once(':').and_then(|(whole, _)| names.get(whole));
            let subject = match whole {
                Some((_, whole)) => format!("{whole} {name}"),
                None => name.clone(),
            };
            let range_uj = text(folder, "max_energy_range_uj").unwrap_or_default();
            let range_uj = number(&range_uj).unwrap_or_default();
            Meter::energy(subject, &folder.join("energy_uj"), range_uj)
        })
        .collect()
}

/// Sensors of power; those that cannot be read just now are left out, as asleep cards are.
fn sensors(hwmon: &Path) -> Vec<Meter> {
    let mut meters: Vec<Meter> = Vec::new();
    for folder in folders(hwmon) {
        let chip = text(&folder, "name").unwrap_or_default();
        for number in numbers(&folder) {
            let files =
                ["average", "input"].map(|what| folder.join(format!("power{number}_{what}")));
            let Some(file) = files.iter().find(|file| file.exists()) else {
                continue;
            };
            let label = text(&folder, &format!("power{number}_label"))
                .unwrap_or_else(|| format!("power{number}"));
            let mut subject = format!("{chip} {label}");
            if meters.iter().any(|meter| meter.subject == subject) {
                let which = folder.file_name().unwrap_or_default().to_string_lossy();
                subject = format!("{subject} of {which}");
            }
            meters.extend(Meter::power(subject, file));
        }
    }
    meters
}

/// The numbers of a chip's sensors of power; some are missing where a board lacks what they would measure.
fn numbers(chip: &Path) -> BTreeSet<u32> {
    folders(chip)
        .filter_map(|file| {
            let name = file.file_name()?.to_str()?.strip_prefix("power")?;
            name.split_once('_')?.0.parse().ok()
        })
        .collect()
}

/// What is in a folder, by name; nothing where there is none.
fn folders(path: &Path) -> impl Iterator<Item = PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(path)
        .map(|entries| {
            entries
                .filter_map(|entry| Some(entry.ok()?.path()))
                .collect()
        })
        .unwrap_or_default();
    found.sort();
    found.into_iter()
}

fn text(folder: &Path, file: &str) -> Option<String> {
    let text = fs::read_to_string(folder.join(file)).ok()?;
    Some(text.trim().to_owned())
}

/// A meter's file, and what it says now.
fn opened(path: &Path) -> io::Result<(ProcFile, u64)> {
    let mut file = ProcFile::open(path.display().to_string())?;
    let now = number(&file.read()?)?;
    Ok((file, now))
}

fn number(text: &str) -> io::Result<u64> {
    let number = text.trim().parse();
    number.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, format!("no number: {text:?}")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::{Arc, Mutex};

    use super::*;

    /// A folder like `/sys/class`, with these files.
    fn class(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            write(&folder, path, text);
        }
        folder
    }

    fn write(class: &tempfile::TempDir, path: &str, text: &str) {
        let path = class.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{text}\n")).unwrap();
    }

    fn below(class: &tempfile::TempDir) -> io::Result<Power> {
        Power::below(class.path(), Arc::new(|event| panic!("{event:?}")))
    }

    fn read(power: &mut Power) -> Vec<Reading> {
        let mut readings = Vec::new();
        power.read(&mut readings).unwrap();
        readings
    }

    fn energies_j(power: &mut Power) -> Vec<(String, f64)> {
        read(power)
            .into_iter()
            .map(|reading| (reading.subject, reading.counters["energy_j"]))
            .collect()
    }

    const ZONES: [(&str, &str); 6] = [
        ("powercap/intel-rapl:0/name", "package-0"),
        ("powercap/intel-rapl:0/energy_uj", "900"),
        ("powercap/intel-rapl:0/max_energy_range_uj", "1000"),
        ("powercap/intel-rapl:0:0/name", "dram"),
        ("powercap/intel-rapl:0:0/energy_uj", "5"),
        ("powercap/intel-rapl/enabled", "1"),
    ];

    #[test]
    fn energy_grows_from_the_first_reading_on_also_past_its_range() {
        let class = class(&ZONES);
        let mut power = below(&class).unwrap();
        let names = ["package-0".to_owned(), "package-0 dram".to_owned()];
        let at_first: Vec<_> = names.clone().into_iter().zip([0.0, 0.0]).collect();
        assert_eq!(energies_j(&mut power), at_first);
        write(&class, "powercap/intel-rapl:0/energy_uj", "200");
        write(&class, "powercap/intel-rapl:0:0/energy_uj", "2000005");
        let then: Vec<_> = names.into_iter().zip([300e-6, 2.0]).collect();
        assert_eq!(energies_j(&mut power), then);
    }

    #[test]
    fn sensors_say_watts_each_under_a_name_of_its_own() {
        let class = class(&[
            ("hwmon/hwmon0/name", "power_meter"),
            ("hwmon/hwmon0/power1_average", "123500000"),
            ("hwmon/hwmon0/power1_input", "1"),
            ("hwmon/hwmon1/name", "card"),
            ("hwmon/hwmon1/power1_input", "1000000"),
            ("hwmon/hwmon1/power1_label", "PPT"),
            ("hwmon/hwmon2/name", "card"),
            ("hwmon/hwmon2/power1_input", "2000000"),
            ("hwmon/hwmon2/power1_label", "PPT"),
            ("hwmon/hwmon3/name", "temperature"),
            ("hwmon/hwmon4/name", "rails"),
            ("hwmon/hwmon4/power1_cap", "9000000"),
            ("hwmon/hwmon4/power2_input", "3000000"),
            ("hwmon/hwmon4/power10_input", "4000000"),
        ]);
        let watts: Vec<_> = read(&mut below(&class).unwrap())
            .into_iter()
            .map(|reading| (reading.subject, reading.gauges["power_w"]))
            .collect();
        let expected = [
            ("power_meter power1", 123.5),
            ("card PPT", 1.0),
            ("card PPT of hwmon2", 2.0),
            ("rails power2", 3.0),
            ("rails power10", 4.0),
        ];
        assert_eq!(
            watts,
            expected.map(|(name, power_w)| (name.to_owned(), power_w))
        );
    }

    #[test]
    fn a_meter_that_fails_is_told_once_and_the_others_are_read() {
        let class = class(&ZONES);
        let events: Arc<Mutex<Vec<Event>>> = Arc::default();
        let heard = Arc::clone(&events);
        let emit: Emit = Arc::new(move |event| heard.lock().unwrap().push(event));
        let mut power = Power::below(class.path(), emit).unwrap();
        write(&class, "powercap/intel-rapl:0/energy_uj", "asleep");
        for _ in 0..2 {
            assert_eq!(energies_j(&mut power), [("package-0 dram".to_owned(), 0.0)]);
        }
        let events = events.lock().unwrap();
        let [Event::Warning(warning)] = &events[..] else {
            panic!("{events:?}");
        };
        assert!(warning.text.contains("package-0 "), "{warning}");
    }

    #[test]
    fn a_host_without_meters_says_so() {
        let error = below(&class(&[])).err().unwrap();
        assert!(error.to_string().contains("no power meter"), "{error}");
    }

    #[test]
    fn a_zone_that_cannot_be_read_is_an_error() {
        let class = class(&ZONES);
        fs::remove_file(class.path().join("powercap/intel-rapl:0/energy_uj")).unwrap();
        assert!(below(&class).is_err());
        write(&class, "powercap/intel-rapl:0/energy_uj", "many");
        let error = below(&class).err().unwrap();
        assert!(error.to_string().contains("many"), "{error}");
    }
}
