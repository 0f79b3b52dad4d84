//! What a user's browser keeps of the resources that it has asked for (RFC 9111, as far as it matters here).

/// What a user keeps: for each resource, what is to be done when a page has it again.
#[derive(Debug)]
pub struct Cache(Box<[Kept]>);

/// What is kept of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    Nothing,
    /// Fresh until then, in seconds on the clock of the load.
    Until(u32),
    /// Fresh as long as the load goes on.
    Always,
}

/// What is to be done where a page has a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// It is there.
    Nothing,
    /// It is asked for, with its `ETag` where one is known.
    Ask,
    /// It is asked for as if for the first time.
    AskAnew,
}

impl Cache {
    /// An empty cache for so many resources.
    pub fn new(resources: usize) -> Self {
        Self(vec![Kept::Nothing; resources].into())
    }

    /// What is to be done where a page has this resource at `now_s`.
    pub fn need(&self, resource: usize, now_s: u32) -> Need {
        match self.0[resource] {
            Kept::Nothing => Need::AskAnew,
            Kept::Until(until_s) if until_s <= now_s => Need::Ask,
            Kept::Until(_) | Kept::Always => Need::Nothing,
        }
    }

    /// An answer has come with this `Cache-Control`, and with an `ETag` or not.
    pub fn keep(
        &mut self,
        resource: usize,
        cache_control: Option<&[u8]>,
        has_etag: bool,
        now_s: u32,
    ) {
        self.0[resource] = match (cache_control, has_etag) {
            (None, true) => Kept::Until(now_s),
            (None, false) => Kept::Always,
            (Some(said), _) => kept(said, now_s),
        };
    }
}

fn kept(cache_control: &[u8], now_s: u32) -> Kept {
    let mut kept = Kept::Until(now_s);
    for directive in cache_control
        .split(|byte| *byte == b',')
        .map(<[u8]>::trim_ascii)
    {
        if directive.eq_ignore_ascii_case(b"no-store") {
            return Kept::Nothing;
        }
        if directive.eq_ignore_ascii_case(b"no-cache") {
            return Kept::Until(now_s);
        }
        let (name, value) = directive.split_at(directive.len().min(8));
        if name.eq_ignore_ascii_case(b"max-age=") {
            let age_s = std::str::from_utf8(value)
                .ok()
                .and_then(|text| text.parse().ok())
                .unwrap_or(0);
            kept = Kept::Until(now_s.saturating_add(age_s));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_fresh_is_not_asked_for() {
        for (said, has_etag, at_once, later) in [
            (Some("public, max-age=60"), true, Need::Nothing, Need::Ask),
            (Some("max-age=60, no-cache"), true, Need::Ask, Need::Ask),
            (Some("no-store"), true, Need::AskAnew, Need::AskAnew),
            (Some("private"), true, Need::Ask, Need::Ask),
            (None, true, Need::Ask, Need::Ask),
            (None, false, Need::Nothing, Need::Nothing),
        ] {
            let mut cache = Cache::new(1);
            assert_eq!(cache.need(0, 7), Need::AskAnew);
            cache.keep(0, said.map(str::as_bytes), has_etag, 7);
            assert_eq!(
                (cache.need(0, 7), cache.need(0, 67)),
                (at_once, later),
                "{said:?}"
            );
        }
    }
}
