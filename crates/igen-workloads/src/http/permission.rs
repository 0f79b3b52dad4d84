//! May this server be loaded?

use igen_http::Site;
use igen_job::JobError;

/// Refuses a server that anybody may own, unless its owner has agreed; `field` is where the job names it.
pub(crate) fn check_permission(
    site: &Site,
    field: &str,
    i_may_load: &[String],
    force: bool,
) -> Result<(), JobError> {
    let mine = i_may_load
        .iter()
        .any(|host| host.eq_ignore_ascii_case(site.host()));
    if !site.is_public() || mine || force {
        return Ok(());
    }
    Err(JobError::at(
        field,
        format!(
            "{} has a public address, and a load without the consent of its owner is an attack",
            site.host()
        ),
    )
    .hint(format!(
        "if you have permission, add --set i_may_load={}",
        site.host()
    )))
}
