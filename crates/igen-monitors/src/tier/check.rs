//! What a job says of tiers that is not so.

use std::collections::HashMap;

use igen_job::{JobError, Tier};

use super::monitor::Tiers;
use super::source::Source;

/// Tiers of this machine that are not there, that share a process, or that nobody would read are errors of the
/// job.
pub(crate) fn check(
    tiers: &[Tier],
    names: Option<&[String]>,
    pids: &[u32],
) -> Result<(), JobError> {
    if tiers.iter().all(|tier| tier.host.is_some()) {
        return Ok(());
    }
    if names.is_some_and(|names| names.iter().all(|name| name != Tiers::NAME)) {
        let text = "the job has tiers, but `monitors` does not contain `tier`";
        return Err(JobError::at("tiers", text).hint("add `tier` to `monitors`"));
    }
    let mut whose: HashMap<u32, &str> = HashMap::new();
    for (index, tier) in tiers.iter().enumerate() {
        let (None, Some(wanted)) = (&tier.host, &tier.source) else {
            continue;
        };
        let path = format!("tiers[{index}].match");
        let mut source = Source::find(wanted)
            .map_err(|(text, hint)| JobError::at(path.as_str(), text).hint(hint))?;
        let found = source.read().pids;
        if found.contains(&std::process::id()) {
            let text = format!("the load agent itself is in the tier `{}`", tier.name);
            let hint = "use a control group or processes of the server only";
            return Err(JobError::at(path, text).hint(hint));
        }
        for pid in found {
            if let Some(other) = whose.insert(pid, &tier.name) {
                let text = format!("process {pid} also belongs to the tier `{other}`");
                return Err(JobError::at(path, text).hint("assign each process to one tier"));
            }
        }
    }
    if let Some(pid) = pids.iter().find(|pid| whose.contains_key(pid)) {
        let text = format!("process {pid} already belongs to the tier `{}`", whose[pid]);
        return Err(JobError::at("pids", text).hint("remove it here, because it would count twice"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use igen_job::TierMatch;

    use super::*;
    use crate::shell::Shell;

    fn tier(name: &str, source: TierMatch) -> Tier {
        Tier {
            name: name.to_owned(),
            host: None,
            source: Some(source),
            processors: None,
        }
    }

    fn refused(tiers: &[Tier], names: Option<&[String]>, pids: &[u32]) -> JobError {
        check(tiers, names, pids).unwrap_err()
    }

    #[test]
    fn what_is_not_there_is_named() {
        for (source, word) in [
            (TierMatch::Pids(vec![u32::MAX]), "4294967295"),
            (
                TierMatch::Cgroup("/no/such.service".into()),
                "/no/such.service",
            ),
            (TierMatch::Instance("shop-1/web".into()), "shop-1/web"),
            (
                TierMatch::Container("no-such-container".into()),
                "no-such-container",
            ),
        ] {
            let error = refused(&[tier("web", source)], None, &[]);
            assert_eq!(error.path, "tiers[0].match");
            assert!(
                error.text.contains(word) && !error.hint.is_empty(),
                "{error}"
            );
        }
    }

    #[test]
    fn a_process_counts_once() {
        let shell = Shell::start("true");
        let web = || tier("web", TierMatch::Pids(vec![shell.pid()]));
        let app = || tier("app", TierMatch::Pids(vec![shell.pid()]));
        assert_eq!(check(&[web()], None, &[]), Ok(()));
        let error = refused(&[web(), app()], None, &[]);
        assert_eq!(error.path, "tiers[1].match");
        assert!(
            error.text.contains("also belongs to the tier `web`"),
            "{error}"
        );
        assert_eq!(refused(&[web()], None, &[shell.pid()]).path, "pids");
        let own = tier("load", TierMatch::Pids(vec![std::process::id()]));
        assert!(refused(&[own], None, &[]).text.contains("load agent"));
    }

    #[test]
    fn tiers_of_other_machines_are_not_looked_for_here() {
        let there = Tier {
            host: Some("ssh://db1".to_owned()),
            ..tier("db", TierMatch::Pids(vec![u32::MAX]))
        };
        let cpu = ["cpu".to_owned()];
        assert_eq!(check(&[there], Some(&cpu), &[]), Ok(()));
    }

    #[test]
    fn tiers_that_nobody_reads_are_refused() {
        let shell = Shell::start("true");
        let web = [tier("web", TierMatch::Pids(vec![shell.pid()]))];
        let cpu = ["cpu".to_owned()];
        assert_eq!(refused(&web, Some(&cpu), &[]).path, "tiers");
        assert_eq!(check(&[], Some(&cpu), &[]), Ok(()));
        let both = ["cpu".to_owned(), "tier".to_owned()];
        assert_eq!(check(&web, Some(&both), &[]), Ok(()));
    }
}
