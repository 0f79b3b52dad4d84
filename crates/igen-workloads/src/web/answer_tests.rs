//! Answers that are long, that lead elsewhere, or that end a user before its load.

#![allow(clippy::unwrap_used)]

use std::io::Write;

use serde_json::json;

use super::body::KEPT_BYTES;
use super::tests::{OK, page, pages};

const PAGE: &str = "
session = { steps = [{ page = 'p' }] }
defaults = { redirects = 2 }
[[page]]
name = 'p'
";

fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
}

/// A redirect with this status.
fn to(status: u16, place: &str) -> String {
    answer(
        &format!("{status} Moved"),
        &format!("Location: {place}\r\n"),
        "",
    )
}

#[tokio::test(flavor = "local")]
async fn how_long_an_answer_is_makes_no_difference() {
    let rows = vec!["a row of JSON"; KEPT_BYTES / 8];
    // Sorted by name: the rows are between the two.
    let body = json!({"id": 7, "rows": rows, "state": "the last"}).to_string();
    assert!(body.len() > 2 * KEPT_BYTES);
    let long = answer("200 OK", "", &body);
    let asks = |more: &str| {
        format!("{PAGE}request = [{{ get = '/long', {more} }}, {{ get = '/next{{id}}' }}]")
    };
    let json = "expect = { contains = 'the last', json = { '/id' = 7, '/state' = 'the last' } }";
    let extract = "extract = { id = { json = '/id' }, other = { json = '/rows/9' } }";
    let (asked, reason) = page(&asks(&format!("{json}, {extract}")), &[&long, OK]).await;
    assert_eq!(reason, "");
    assert!(
        asked[1].starts_with("GET /base/next7 HTTP/1.1\r\n"),
        "{}",
        asked[1]
    );
    for (more, expected) in [
        (
            "expect = { contains = 'nowhere' }, extract.id = { json = '/id' }",
            "p: a body without the expected text",
        ),
        (
            "expect = { json = { '/state' = 1 } }, extract.id = { json = '/id' }",
            "p: a body without the expected JSON",
        ),
        (
            "extract.id = { json = '/no' }",
            "p: no id of up to 512 KiB in the answer",
        ),
        (
            "extract.id = { regex = 'the (last)' }",
            "p: no id in the first MiB of the answer",
        ),
        (
            "extract.id = { header = 'X-Id' }, expect = { contains = 'the last' }",
            "p: no id in the answer",
        ),
    ] {
        assert_eq!(page(&asks(more), &[&long]).await.1, expected);
    }
}

#[tokio::test(flavor = "local")]
async fn a_resource_is_followed_where_it_is_redirected() {
    let scenario =
        format!("{PAGE}request = [{{ get = '/' }}]\nresource = [{{ get = '/avatar/7' }}]");
    for (status, times) in [(302, 2), (301, 1)] {
        let moved = to(status, "/media/7.png");
        let once: [&str; 2] = [&moved, OK];
        // What has moved for now alone is asked for anew, since it may be elsewhere then.
        let again: &[&str] = if times == 2 { &once } else { &[] };
        let answers = [[OK].as_slice(), &once, &[OK], again].concat();
        let (asked, done) = pages(&scenario, &answers, 2).await;
        done.unwrap();
        let paths: Vec<_> = asked
            .iter()
            .map(|asked| asked.split(' ').nth(1).unwrap())
            .collect();
        let resource = ["/base/avatar/7", "/media/7.png"];
        assert_eq!(paths[1..3], resource);
        assert_eq!(
            paths[4..],
            resource[..if times == 2 { 2 } else { 0 }],
            "{status}"
        );
    }
    let there = to(302, "/there");
    let round = page(&scenario, &[OK, &there, &there, &there]).await.1;
    assert_eq!(
        round,
        "p: more than 2 redirects, the last from /there to /there"
    );
    let unfollowed = scenario.replace("redirects = 2", "redirects = 0");
    let told = page(&unfollowed, &[OK, &there]).await.1;
    assert_eq!(told, "p: status 302 of /avatar/7");
    let gone = answer("404 Not Found", "", "");
    let told = page(&scenario, &[OK, &there, &gone]).await.1;
    assert_eq!(told, "p: status 404 of /avatar/7");
}

#[tokio::test(flavor = "local")]
async fn a_user_that_cannot_sign_in_tells_what_the_answer_says_without_secrets() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"hush/hush").unwrap();
    let scenario = format!(
        "once = [{{ page = 'login' }}]
        secrets = {{ password = 'file:{}' }}
        {PAGE}request = [{{ get = '/' }}]
        [[page]]
        name = 'login'
        [[page.request]]
        post = '/login'
        form = {{ password = '{{secret.password}}' }}
        MORE",
        file.path().display()
    );
    let refused = format!(
        "<b>No</b>\nuser with hush/hush or hush%2fhush {}",
        "x".repeat(9_000)
    );
    for (more, status, reason) in [
        ("", "401 No", "login: status 401"),
        (
            "expect = { contains = 'Welcome' }",
            "200 OK",
            "login: a body without the expected text",
        ),
    ] {
        let answers = [answer(status, "", &refused)];
        let (asked, done) = pages(&scenario.replace("MORE", more), &[&answers[0]], 1).await;
        assert!(asked[0].ends_with("password=hush%2Fhush"), "{}", asked[0]);
        let failure = done.unwrap_err();
        assert_eq!(failure.reason.to_string(), reason);
        let said = failure.said.unwrap();
        assert!(
            said.starts_with("<b>No</b> user with *** or *** xxx"),
            "{said}"
        );
        assert_eq!(said.len(), 200);
    }
    // Nobody reads it in a load.
    let (_, done) = pages(
        &format!("{PAGE}request = [{{ get = '/' }}]"),
        &[&answer("401 No", "", "x")],
        1,
    )
    .await;
    assert_eq!(done.unwrap_err().said, None);
}
