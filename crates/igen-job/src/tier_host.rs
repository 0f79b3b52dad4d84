//! The machine of a tier, as a URL: how igen reads it, and where it is.

type Fault = (String, &'static str);

const LONGEST: usize = 255;
const SSH: &str = "ssh://";
const SSH_PORT: u16 = 22;
const SCRAPED: [&str; 2] = ["http://", "https://"];
const HINT: &str = "use ssh://db1, ssh://igen@db1:2222 or http://db1:9100/metrics";

/// Checks where a tier runs; one that names processes (`has_match`) cannot be scraped.
pub(crate) fn check(host: &str, has_match: bool) -> Result<(), Fault> {
    let no_url = || {
        (
            format!("`{}` is not the address of a machine", host.escape_debug()),
            HINT,
        )
    };
    let (scraped, place) = if let Some(place) = host.strip_prefix(SSH) {
        (false, place)
    } else if let Some(place) = SCRAPED.iter().find_map(|scheme| host.strip_prefix(scheme)) {
        (true, place)
    } else {
        return Err(no_url());
    };
    let odd = |letter: char| letter.is_control() || letter.is_whitespace();
    let (machine, path) = place.split_once('/').unwrap_or((place, ""));
    if let Some((user, _)) = machine.rsplit_once('@')
        && (scraped || user.contains(':'))
    {
        let text = "the address of a machine must not contain a password, and only ssh:// may contain a user";
        let hint = "use an ssh key instead of a password, such as ssh://igen@db1";
        return Err((text.to_owned(), hint));
    }
    // What begins with a hyphen would be an option of ssh.
    let (name, port) = machine_and_port(machine);
    let nameless = name.is_empty() || name.starts_with('-') || machine.starts_with(['-', '@']);
    let numbered = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
    if place.len() > LONGEST || place.contains(odd) || nameless || !numbered {
        return Err(no_url());
    }
    if !scraped && !path.is_empty() {
        return Err(no_url());
    }
    if scraped && has_match {
        let text =
            "`match` needs ssh://: a node_exporter reports the whole machine, not its processes";
        return Err((text.to_owned(), "leave `match` out, or use ssh://"));
    }
    Ok(())
}

/// Returns true if two addresses surely name one machine: of that its processors would count twice.
///
/// A gateway answers for several machines, one a path; and another port of ssh may lead to a machine behind.
pub(crate) fn are_one_machine(one: &str, other: &str) -> bool {
    let (Some((name, _)), Some((its, _))) = (name_and_port(one), name_and_port(other)) else {
        return false;
    };
    let is_one = match (ssh_port(one), ssh_port(other)) {
        (Some(port), Some(its)) => port == its,
        (Some(port), None) | (None, Some(port)) => port == SSH_PORT,
        (None, None) => false,
    };
    is_one && name.eq_ignore_ascii_case(its)
}

/// None of what is scraped.
fn ssh_port(host: &str) -> Option<u16> {
    let (_, port) = host.starts_with(SSH).then(|| name_and_port(host))??;
    Some(port.and_then(|port| port.parse().ok()).unwrap_or(SSH_PORT))
}

fn name_and_port(host: &str) -> Option<(&str, Option<&str>)> {
    let (_, place) = host.split_once("://")?;
    Some(machine_and_port(place.split('/').next().unwrap_or(place)))
}

/// `igen@[::1]:22` as `::1` and `22`.
fn machine_and_port(machine: &str) -> (&str, Option<&str>) {
    let place = machine.rsplit_once('@').map_or(machine, |(_, place)| place);
    if let Some((name, rest)) = place
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
    {
        return (
            name,
            rest.strip_prefix(':')
                .or((!rest.is_empty()).then_some(rest)),
        );
    }
    match place.split_once(':') {
        Some((name, port)) => (name, Some(port)),
        None => (place, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_read_by_ssh_or_scraped() {
        for host in [
            "ssh://db1",
            "ssh://igen@db1.lab:2222",
            "ssh://[fe80::1]:22",
            "ssh://db1/",
            "http://db1:9100/metrics",
            "https://db1/metrics?collect[]=cpu",
        ] {
            assert_eq!(check(host, false), Ok(()), "{host}");
        }
        assert_eq!(check("ssh://db1", true), Ok(()));
        assert!(check("http://db1:9100/metrics", true).is_err());
    }

    #[test]
    fn what_is_no_machine_is_refused() {
        for host in [
            "",
            "db1",
            "ssh://",
            "ssh://@db1",
            "ssh://-oProxyCommand=true",
            "ssh://igen@-oProxyCommand=true",
            "ssh://db 1",
            "ssh://db1\n",
            "ssh://db1/path",
            "ssh://db1:0",
            "ssh://db1:x",
            "ssh://[::1]x",
            "http://:9100",
            "ftp://db1",
        ] {
            assert!(check(host, false).is_err(), "{host}");
        }
    }

    #[test]
    fn one_machine_is_read_in_one_way() {
        for (one, other) in [
            ("ssh://a@db1", "ssh://b@db1"),
            ("ssh://db1", "ssh://DB1:22"),
            ("ssh://db1", "ssh://db1/"),
            ("ssh://db1", "http://db1/metrics"),
            ("ssh://igen@db1", "https://db1:9100/metrics"),
            ("ssh://[::1]", "http://[::1]:9100/metrics"),
        ] {
            assert!(are_one_machine(one, other), "{one} {other}");
            assert!(are_one_machine(other, one), "{other} {one}");
        }
        for (one, other) in [
            ("ssh://db1", "ssh://db2"),
            ("ssh://gw:2201", "ssh://gw:2202"),
            ("ssh://gw:2201", "http://gw:9100/metrics"),
            ("http://gw:9100/a", "http://gw:9100/b"),
            ("http://gw:9100/metrics", "http://gw:9101/metrics"),
        ] {
            assert!(!are_one_machine(one, other), "{one} {other}");
        }
    }

    #[test]
    fn a_password_is_not_repeated() {
        for host in ["ssh://igen:hush@db1", "http://igen:hush@db1:9100/metrics"] {
            let (text, hint) = check(host, false).err().unwrap_or_default();
            assert!(text.contains("password") && !format!("{text}{hint}").contains("hush"));
        }
    }
}
