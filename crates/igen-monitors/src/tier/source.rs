//! Where the figures of a tier come from.

use std::path::Path;

use igen_job::TierMatch;
use igen_kernel::server::Place;

use super::container;
use super::control_group::{ControlGroup, ROOT};
use super::family::{Family, Which};
use super::fault::Fault;
use super::usage::Usage;

pub(super) enum Source {
    Group(ControlGroup),
    Processes(Family),
}

impl Source {
    /// What a job means, as it is now.
    pub(super) fn find(wanted: &TierMatch) -> Result<Self, Fault> {
        let found = match wanted {
            TierMatch::Cgroup(path) => Self::Group(group(path)?),
            TierMatch::Container(name) => Self::Group(group(&container::group_of(name)?)?),
            TierMatch::Process(name) => Self::Processes(Family::open(Which::Program(name.clone()))),
            TierMatch::Pids(pids) => {
                let gone = |pid: &&u32| !Path::new(&format!("/proc/{pid}")).exists();
                if let Some(pid) = pids.iter().find(gone) {
                    let hint = "`pgrep -x NAME` prints the ids of a program's processes";
                    return Err((format!("process {pid} does not exist"), hint.to_owned()));
                }
                Self::Processes(Family::open(Which::Pids(pids.clone())))
            }
            TierMatch::Instance(name) => {
                let hint = "use `pids`: only `igen` can replace an instance by its process ids";
                return Err((
                    format!("the agent cannot resolve the instance `{name}`"),
                    hint.to_owned(),
                ));
            }
        };
        Ok(found)
    }

    /// The processes of the server that listens there.
    pub(super) fn server(place: Place) -> Self {
        Self::Processes(Family::open(Which::Server(place)))
    }

    pub(super) fn read(&mut self) -> Usage {
        match self {
            Self::Group(group) => group.read(),
            Self::Processes(family) => family.read(),
        }
    }

    /// How many processors it may use at once; None for all of the host.
    pub(super) fn processors(&mut self) -> Option<f64> {
        match self {
            Self::Group(group) => group.processors(),
            Self::Processes(_) => None,
        }
    }

    /// In words: `control group /system.slice/nginx.service`, `processes nginx`, `processes 12, 13`.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Group(group) => group.describe(),
            Self::Processes(family) => family.describe(),
        }
    }
}

fn group(path: &str) -> Result<ControlGroup, Fault> {
    ControlGroup::find(Path::new(ROOT), path).ok_or_else(|| {
        (
            format!("the control group {path} does not exist"),
            "print the path with `systemd-cgls`, or with `cat /proc/PID/cgroup` for one of its processes"
                .to_owned(),
        )
    })
}
