//! Certificates for tests.

use std::path::Path;
use std::process::Command;

/// Writes a certificate for `localhost` that is its own authority, and its key with
/// this mode: PostgreSQL refuses one that others may read, slapd reads it as another user.
#[must_use]
pub fn certificate(path: &str, mode: u32) -> bool {
    let created = Command::new("openssl")
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

/// Writes such a certificate and its key, of which the certificate was valid for a day in 2020. Its folder is
/// used for nothing else.
#[must_use]
pub fn expired_certificate(path: &str) -> bool {
    const AUTHORITY: &str = "
        [ca]
        default_ca = own
        [own]
        database = index
        new_certs_dir = .
        rand_serial = yes
        default_md = sha256
        policy = any
        x509_extensions = server
        [any]
        commonName = supplied
        [server]
        subjectAltName = DNS:localhost
        basicConstraints = critical,CA:FALSE
    ";
    let folder = Path::new(path).parent().unwrap();
    std::fs::write(folder.join("authority"), AUTHORITY).unwrap();
    std::fs::write(folder.join("index"), "").unwrap();
    let openssl = |arguments: &str| {
        let done = Command::new("openssl")
            .args(arguments.split_ascii_whitespace())
            .current_dir(folder)
            .output();
        done.is_ok_and(|output| output.status.success())
    };
    openssl(&format!(
        "req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout {path}.key -out {path}.request"
    )) && openssl(&format!(
        "ca -config authority -batch -selfsign -notext -startdate 20200101000000Z -enddate 20200102000000Z \
         -keyfile {path}.key -in {path}.request -out {path}.pem"
    ))
}
