//! Facts about the machine as a whole.
//!
//! REQUIREMENTS: none; a virtual machine may have no maker and product.
//! OVERHEAD: 0.1 ms.

use igen_engine::FactSource;
use igen_job::Fact;
use igen_job::facts;
use rustix::system::uname;

use crate::fact_list::FactList;
use crate::tree::Tree;

pub(crate) struct Host;

impl FactSource for Host {
    fn name(&self) -> &'static str {
        "host"
    }

    fn facts(&self) -> Vec<Fact> {
        facts(&Tree::host(), &uname().nodename().to_string_lossy())
    }
}

fn facts(tree: &Tree, name: &str) -> Vec<Fact> {
    let mut list = FactList::default();
    list.add(&facts::HOST_NAME, Some(name));
    let release = tree
        .text("etc/os-release")
        .or_else(|| tree.text("usr/lib/os-release"));
    list.add(
        &facts::HOST_OPERATING_SYSTEM,
        release.and_then(|text| operating_system(&text)),
    );
    list.add(&facts::HOST_MAKER, tree.text("sys/class/dmi/id/sys_vendor"));
    list.add(
        &facts::HOST_PRODUCT,
        tree.text("sys/class/dmi/id/product_name"),
    );
    list.add(
        &facts::HOST_FIRMWARE,
        tree.text("sys/class/dmi/id/bios_version"),
    );
    let uptime = tree.text("proc/uptime");
    list.add(
        &facts::HOST_UPTIME_S,
        uptime.and_then(|text| text.split(' ').next()?.parse::<f64>().ok()),
    );
    list.add(&facts::HOST_TIME_ZONE, time_zone(tree));
    list.into_facts()
}

/// The name for people in os-release(5), which may be quoted.
fn operating_system(text: &str) -> Option<String> {
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches(['"', '\'']).to_owned())
}

/// The zone that /etc/localtime points at, or the name in /etc/timezone where it is a copy.
fn time_zone(tree: &Tree) -> Option<String> {
    let link = tree.link("etc/localtime");
    let zone = link
        .as_deref()
        .and_then(|target| Some(target.split_once("/zoneinfo/")?.1));
    zone.map(str::to_owned)
        .or_else(|| tree.text("etc/timezone"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fact_list::tests::object;
    use crate::tree::tests::Fake;

    #[test]
    fn name_system_maker_and_time() {
        let fake = Fake::new(&[
            (
                "etc/os-release",
                "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n",
            ),
            ("etc/localtime", "->../usr/share/zoneinfo/Europe/Berlin"),
            ("etc/timezone", "Etc/UTC\n"),
            ("proc/uptime", "1920.34 3011.11\n"),
            ("sys/class/dmi/id/sys_vendor", "Amazon EC2\n"),
            ("sys/class/dmi/id/product_name", "m7i.large\n"),
        ]);
        assert_eq!(
            object(facts(&fake.tree, "lab1")),
            json!({
                "host.name": "lab1",
                "host.operating_system": "Debian GNU/Linux 12 (bookworm)",
                "host.maker": "Amazon EC2",
                "host.product": "m7i.large",
                "host.uptime_s": 1920.34,
                "host.time_zone": "Europe/Berlin",
            })
        );
    }

    #[test]
    fn a_copied_localtime_leaves_the_name_to_timezone() {
        let fake = Fake::new(&[("etc/localtime", "TZif2"), ("etc/timezone", "Etc/UTC\n")]);
        assert_eq!(time_zone(&fake.tree).as_deref(), Some("Etc/UTC"));
        assert_eq!(time_zone(&Fake::new(&[]).tree), None);
    }
}
