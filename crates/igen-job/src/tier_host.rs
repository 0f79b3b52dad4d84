//! The machine of a tier, as a URL: how igen reads it, and where it is.

type Fault = (String, &'static str);

const LONGEST: usize = 255;
const SSH: &str = "ssh://";
const SCRAPED: [&str; 2] = ["http://", "https://"];
const HINT: &str = "such as ssh://db1, ssh://igen@db1:2222 or http://db1:9100/metrics";

/// Checks where a tier runs; one that names processes (`has_match`) cannot be scraped.
pub(crate) fn check(host: &str, has_match: bool) -> Result<(), Fault> {
    let no_url = || (format!("`{}` is no machine", host.escape_debug()), HINT);
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
        let text = "a password or a user does not belong into the address of a machine";
        let hint = "ssh finds keys by itself; it takes a user (`ssh://igen@db1`), and no password";
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
        let text = "`match` needs an agent there: a node_exporter tells of the whole machine";
        return Err((text.to_owned(), "leave `match` out, or use ssh://"));
    }
    Ok(())
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
    fn a_password_is_not_repeated() {
        for host in ["ssh://igen:hush@db1", "http://igen:hush@db1:9100/metrics"] {
            let (text, hint) = check(host, false).err().unwrap_or_default();
            assert!(text.contains("password") && !format!("{text}{hint}").contains("hush"));
        }
    }
}
