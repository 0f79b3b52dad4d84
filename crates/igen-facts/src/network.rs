//! Facts about network interfaces and TCP.
//!
//! REQUIREMENTS: none; a virtual interface seldom knows its speed.
//! Interfaces that are down and the host's ends of links into containers (`veth…`) are left out.
//! OVERHEAD: 40 µs for each interface.

use igen_engine::FactSource;
use igen_job::Fact;
use igen_job::facts;

use crate::fact_list::FactList;
use crate::tree::Tree;

pub(crate) struct Network;

impl FactSource for Network {
    fn name(&self) -> &'static str {
        "network"
    }

    fn facts(&self) -> Vec<Fact> {
        facts(&Tree::host())
    }
}

fn facts(tree: &Tree) -> Vec<Fact> {
    let mut list = FactList::default();
    for name in tree.names("sys/class/net") {
        let file = |path: &str| format!("sys/class/net/{name}/{path}");
        let state = tree.text(&file("operstate"));
        if state.is_none_or(|state| state == "down") || name.starts_with("veth") {
            continue;
        }
        list.add_of(&facts::NETWORK_MTU_BYTES, &name, tree.number(&file("mtu")));
        // Unknown is -1, which is no whole number.
        let megabits = tree.number(&file("speed")).filter(|megabits| *megabits > 0);
        list.add_of(
            &facts::NETWORK_SPEED,
            &name,
            megabits.map(|megabits| megabits * 1_000_000),
        );
        list.add_of(
            &facts::NETWORK_DRIVER,
            &name,
            tree.link_name(&file("device/driver")),
        );
        let queues = tree.names(&file("queues"));
        let receive_queues = queues
            .iter()
            .filter(|queue| queue.starts_with("rx-"))
            .count();
        list.add_of(
            &facts::NETWORK_RECEIVE_QUEUES,
            &name,
            (receive_queues > 0).then_some(receive_queues),
        );
    }
    let tcp = "proc/sys/net/ipv4";
    list.add(
        &facts::NETWORK_TCP_CONGESTION_CONTROL,
        tree.text(&format!("{tcp}/tcp_congestion_control")),
    );
    list.add(
        &facts::NETWORK_LOCAL_PORTS,
        tree.text(&format!("{tcp}/ip_local_port_range"))
            .map(|ports| ports.split_ascii_whitespace().collect::<Vec<_>>().join("-")),
    );
    list.add(
        &facts::NETWORK_LISTEN_BACKLOG,
        tree.number("proc/sys/net/core/somaxconn"),
    );
    list.into_facts()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fact_list::tests::object;
    use crate::tree::tests::Fake;

    #[test]
    fn interfaces_in_use_and_tcp() {
        let fake = Fake::new(&[
            ("sys/class/net/lo/operstate", "unknown\n"),
            ("sys/class/net/lo/mtu", "65536\n"),
            ("sys/class/net/eth0/operstate", "up\n"),
            ("sys/class/net/eth0/mtu", "1500\n"),
            ("sys/class/net/eth0/speed", "25000\n"),
            (
                "sys/class/net/eth0/device/driver",
                "->../../../bus/pci/drivers/ena",
            ),
            ("sys/class/net/eth0/queues/rx-0/rps_cpus", ""),
            ("sys/class/net/eth0/queues/rx-1/rps_cpus", ""),
            ("sys/class/net/eth0/queues/tx-0/xps_cpus", ""),
            ("sys/class/net/eth1/operstate", "up\n"),
            ("sys/class/net/eth1/speed", "-1\n"),
            ("sys/class/net/ifb0/operstate", "down\n"),
            ("sys/class/net/veth12ab/operstate", "up\n"),
            ("sys/class/net/veth12ab/mtu", "1500\n"),
            ("proc/sys/net/ipv4/tcp_congestion_control", "cubic\n"),
            ("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n"),
            ("proc/sys/net/core/somaxconn", "4096\n"),
        ]);
        assert_eq!(
            object(facts(&fake.tree)),
            json!({
                "network.lo.mtu_bytes": 65536,
                "network.eth0.mtu_bytes": 1500,
                "network.eth0.speed_bits_per_s": 25_000_000_000_u64,
                "network.eth0.driver": "ena",
                "network.eth0.receive_queues": 2,
                "network.tcp_congestion_control": "cubic",
                "network.local_ports": "32768-60999",
                "network.listen_backlog": 4096,
            })
        );
    }
}
