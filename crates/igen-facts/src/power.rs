//! Facts about the supply and the metering of power.
//!
//! REQUIREMENTS: RAPL energy counters of the host itself (seldom in a virtual machine), readable by
//! root only; a laptop's battery.
//! OVERHEAD: 20 µs, and 30 µs for each domain.

use igen_engine::FactSource;
use igen_job::Fact;
use igen_job::facts;

use crate::fact_list::FactList;
use crate::tree::Tree;

pub(crate) struct Power;

impl FactSource for Power {
    fn name(&self) -> &'static str {
        "power"
    }

    fn facts(&self) -> Vec<Fact> {
        facts(&Tree::host())
    }
}

fn facts(tree: &Tree) -> Vec<Fact> {
    let mut list = FactList::default();
    let mut domains = Vec::new();
    for domain in tree.names("sys/class/powercap") {
        let file = |path: &str| format!("sys/class/powercap/{domain}/{path}");
        let Some(name) = tree.text(&file("name")) else {
            continue;
        };
        // Only domains at the top have a limit that matters: `intel-rapl:0`, not `intel-rapl:0:1`.
        if domain.matches(':').count() == 1 {
            let limit = tree.number(&file("constraint_0_power_limit_uw"));
            list.add_of(
                &facts::POWER_LIMIT_W,
                &name,
                limit.map(|microwatts| microwatts as f64 / 1e6),
            );
        }
        if tree.number(&file("energy_uj")).is_some() {
            domains.push(name);
        }
    }
    list.add(
        &facts::POWER_ENERGY_DOMAINS,
        (!domains.is_empty()).then_some(domains),
    );
    for supply in tree.names("sys/class/power_supply") {
        let file = |path: &str| format!("sys/class/power_supply/{supply}/{path}");
        match tree.text(&file("type")).as_deref() {
            Some("Mains") => {
                list.add_of(&facts::POWER_ONLINE, &supply, tree.switch(&file("online")));
            }
            Some("Battery") => {
                list.add_of(&facts::POWER_STATUS, &supply, tree.text(&file("status")));
            }
            _ => {}
        }
    }
    list.into_facts()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fact_list::tests::object;
    use crate::tree::tests::Fake;

    #[test]
    fn domains_limits_and_supplies() {
        let fake = Fake::new(&[
            ("sys/class/powercap/intel-rapl/enabled", "1\n"),
            ("sys/class/powercap/intel-rapl:0/name", "package-0\n"),
            ("sys/class/powercap/intel-rapl:0/energy_uj", "123456\n"),
            (
                "sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw",
                "205000000\n",
            ),
            ("sys/class/powercap/intel-rapl:0:0/name", "dram\n"),
            ("sys/class/powercap/intel-rapl:0:0/energy_uj", "456\n"),
            (
                "sys/class/powercap/intel-rapl:0:0/constraint_0_power_limit_uw",
                "0\n",
            ),
            ("sys/class/powercap/intel-rapl:1/name", "psys\n"),
            ("sys/class/power_supply/AC/type", "Mains\n"),
            ("sys/class/power_supply/AC/online", "0\n"),
            ("sys/class/power_supply/BAT0/type", "Battery\n"),
            ("sys/class/power_supply/BAT0/status", "Discharging\n"),
        ]);
        assert_eq!(
            object(facts(&fake.tree)),
            json!({
                "power.package-0.limit_w": 205.0,
                "power.energy_domains": ["package-0", "dram"],
                "power.AC.online": false,
                "power.BAT0.status": "Discharging",
            })
        );
    }

    #[test]
    fn a_machine_without_meters_says_nothing() {
        assert_eq!(facts(&Fake::new(&[]).tree), []);
    }
}
