//! Certificates for tests.

/// Writes a certificate for `localhost` that is its own authority, and its key with
/// this mode: PostgreSQL refuses one that others may read, slapd reads it as another user.
#[must_use]
pub fn certificate(path: &str, mode: u32) -> bool {
    let created = std::process::Command::new("openssl")
        .args([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
        ])
        .args([
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
        ])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .arg(format!("-out={path}.pem"))
        .arg(format!("-keyout={path}.key"))
        .output();
    if !created.is_ok_and(|output| output.status.success()) {
        return false;
    }
    let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(format!("{path}.key"), mode).unwrap();
    true
}
