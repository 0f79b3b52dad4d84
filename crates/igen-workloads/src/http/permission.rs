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
            "{} has an address that is neither loopback nor of a private network: a load is an attack on whoever has \
             not agreed to it",
            site.host()
        ),
    )
    .hint(format!("if you may load it, say so: --set i_may_load={}", site.host())))
}
