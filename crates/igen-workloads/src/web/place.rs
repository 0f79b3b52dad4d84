//! Where a redirect leads to.

/// What is wrong with a redirect.
#[derive(Debug, PartialEq, Eq)]
pub enum Astray {
    /// To another host than the target.
    OtherHost,
    /// To nowhere.
    Nowhere,
}

/// The path that `location` names, seen from `path`, on the server whose URLs begin with `origin`
/// (`http://web.lab:8080`).
pub fn follow(location: &[u8], path: &[u8], origin: &str) -> Result<Vec<u8>, Astray> {
    let location = location
        .split(|byte| *byte == b'#')
        .next()
        .unwrap_or_default();
    if location.is_empty() || !location.iter().all(u8::is_ascii_graphic) {
        return Err(Astray::Nowhere);
    }
    if location.starts_with(b"//") || has_scheme(location) {
        let scheme_less = &origin.as_bytes()[origin.find("//").unwrap_or(0)..];
        let begin = if location.starts_with(b"//") {
            scheme_less
        } else {
            origin.as_bytes()
        };
        let (own, rest) = location
            .split_at_checked(begin.len())
            .ok_or(Astray::OtherHost)?;
        return match rest.first() {
            _ if !own.eq_ignore_ascii_case(begin) => Err(Astray::OtherHost),
            None => Ok(b"/".to_vec()),
            Some(b'/') => Ok(rest.to_vec()),
            Some(b'?') => Ok([b"/", rest].concat()),
            Some(_) => Err(Astray::OtherHost),
        };
    }
    let here = path.split(|byte| *byte == b'?').next().unwrap_or_default();
    Ok(match location[0] {
        b'/' => location.to_vec(),
        b'?' => [here, location].concat(),
        _ => {
            let folder = here
                .iter()
                .rposition(|byte| *byte == b'/')
                .map_or(0, |slash| slash + 1);
            [&here[..folder], location].concat()
        }
    })
}

fn has_scheme(location: &[u8]) -> bool {
    let scheme = location
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && !b"+-.".contains(byte));
    scheme.is_some_and(|end| end > 0 && location[end] == b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_stay_on_the_target() {
        for (location, expected) in [
            ("/home", Ok("/home")),
            ("http://web.lab:8080/home?a=b#c", Ok("/home?a=b")),
            ("HTTP://Web.Lab:8080", Ok("/")),
            ("//web.lab:8080/x", Ok("/x")),
            ("?page=2", Ok("/a/b?page=2")),
            ("next", Ok("/a/next")),
            ("http://web.lab:80801/", Err(Astray::OtherHost)),
            ("http://other.lab/", Err(Astray::OtherHost)),
            ("https://web.lab:8080/", Err(Astray::OtherHost)),
            ("//other.lab/", Err(Astray::OtherHost)),
            ("javascript:alert(1)", Err(Astray::OtherHost)),
            ("", Err(Astray::Nowhere)),
            ("/a b", Err(Astray::Nowhere)),
        ] {
            let found = follow(location.as_bytes(), b"/a/b?c=/d", "http://web.lab:8080");
            assert_eq!(
                found,
                expected.map(|path| path.as_bytes().to_vec()),
                "{location}"
            );
        }
    }
}
