//! What the shop answers: pages, forms, files.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use std::fmt::Write as _;
use std::io::Read;

use common::{Client, Shop, Wish};
use flate2::read::GzDecoder;
use hyper::Method;
use sha2::{Digest, Sha256};

/// Pages that follow from the seed alone, once a user is signed in.
const PAGES: [&str; 17] = [
    "/",
    "/home",
    "/search?q=oak",
    "/search?q=oak+lamp&page=0",
    "/search?q=%3Cb%3E",
    "/search?q=cm&page=99",
    "/product/1",
    "/product/2000",
    "/dashboard",
    "/dashboard?region=3",
    "/api/chart/sales-by-month",
    "/api/chart/sales-by-category",
    "/api/chart/top-products",
    "/api/chart/order-sizes",
    "/api/chart/top-products?region=0",
    "/api/chart/order-sizes?region=9",
    "/api/chart/sales-by-month?region=5",
];

fn digest(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    digest[..6].iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// Length and hash of each page and file, a line each.
fn golden(seed: u64) -> String {
    let shop = Shop::start(Wish {
        seed,
        ..Wish::default()
    });
    let mut client = Client::signed_in(&shop.web.address);
    let files = igen_shop::web::RESOURCES
        .iter()
        .map(|resource| format!("/static/{}", resource.name));
    let mut lines = String::new();
    for path in PAGES.iter().map(|path| (*path).to_owned()).chain(files) {
        let answer = client.get(&path);
        assert_eq!(answer.status, 200, "{path}");
        writeln!(
            lines,
            "{path} {} {}",
            answer.body.len(),
            digest(&answer.body)
        )
        .unwrap();
    }
    // Where there is a token it is of the same length each time.
    for path in ["/login", "/product/7/edit"] {
        let answer = client.get(path);
        let masked = answer.text().replace(&answer.token(), "token");
        writeln!(
            lines,
            "{path} {} {}",
            answer.body.len(),
            digest(masked.as_bytes())
        )
        .unwrap();
    }
    lines
}

#[test]
fn every_answer_follows_from_the_seed() {
    let one = golden(1);
    if std::env::var_os("IGEN_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden.txt"),
            &one,
        )
        .unwrap();
    }
    assert_eq!(one, include_str!("golden.txt"), "seed 1");
    assert_ne!(one, golden(2), "another seed");
}

#[test]
fn one_signs_in_with_a_form_and_is_sent_home() {
    let shop = Shop::start(Wish::default());
    let mut client = Client::new(&shop.web.address);
    let unknown = client.get("/home");
    assert_eq!(
        (unknown.status, unknown.header("location")),
        (302, "/login")
    );
    assert_eq!(client.get("/api/chart/top-products").status, 401);
    let form = client.get("/login");
    assert!(
        form.header("set-cookie")
            .contains("; Path=/login; Max-Age=600; HttpOnly")
    );
    let fields = format!(
        "user=ann.b%40example&password=shop&csrf_token={}",
        form.token()
    );
    let answer = client.post("/login", &fields);
    assert_eq!((answer.status, answer.header("location")), (302, "/home"));
    let cookies: Vec<_> = answer
        .headers
        .get_all("set-cookie")
        .iter()
        .map(|line| line.to_str().unwrap())
        .collect();
    assert!(
        cookies[0].starts_with("session=ann.b@example."),
        "{cookies:?}"
    );
    assert!(
        cookies[0].contains("; Path=/; Max-Age=3600; HttpOnly"),
        "{cookies:?}"
    );
    assert!(
        cookies[1].starts_with("visit=; Path=/login; Max-Age=0"),
        "{cookies:?}"
    );
    assert!(
        client
            .get("/home")
            .text()
            .contains("Welcome, ann.b@example.")
    );
    let out = client.post("/logout", "");
    assert_eq!((out.status, out.header("location")), (302, "/login"));
    assert_eq!(client.get("/home").status, 302);
}

#[test]
fn a_wrong_password_a_wrong_token_and_a_recorded_one_are_refused() {
    let shop = Shop::start(Wish::default());
    let mut client = Client::new(&shop.web.address);
    let recorded = client.get("/login").token();
    let wrong = client.post(
        "/login",
        &format!("user=ann&password=x&csrf_token={recorded}"),
    );
    assert_eq!(wrong.status, 401);
    assert!(wrong.text().contains("Name or password is wrong"));
    assert_eq!(client.post("/login", "user=ann&password=shop").status, 403);
    let mut another = Client::new(&shop.web.address);
    let fields = format!("user=ann&password=shop&csrf_token={recorded}");
    assert_eq!(
        another.post("/login", &fields).status,
        403,
        "without a visit"
    );
    another.get("/login");
    assert_eq!(
        another.post("/login", &fields).status,
        403,
        "of another visit"
    );
    for name in ["", "a b", "a%3Bb", "%3Cscript%3E", &"x".repeat(65)] {
        let fields = format!("user={name}&password=shop&csrf_token={recorded}");
        assert_eq!(client.post("/login", &fields).status, 401, "{name}");
    }
    assert_eq!(client.post("/login", &fields).status, 302);
}

#[test]
fn a_note_is_written_through_and_seen_by_every_node() {
    let shop = Shop::start(Wish {
        nodes: 2,
        ..Wish::default()
    });
    let mut client = Client::signed_in(&shop.web.address);
    let token = client.get("/product/7/edit").token();
    assert_eq!(client.post("/product/7/edit", "note=x").status, 403);
    let of_another = client.post("/product/8/edit", &format!("note=x&csrf_token={token}"));
    assert_eq!(of_another.status, 403);
    let saved = client.post(
        "/product/7/edit",
        &format!("note=%3Cb%3Enew&csrf_token={token}"),
    );
    assert_eq!(
        (saved.status, saved.header("location")),
        (302, "/product/7")
    );
    for _ in 0..2 {
        assert!(
            client
                .get("/product/7/edit")
                .text()
                .contains("&lt;b&gt;new</textarea>")
        );
    }
    for missing in [
        "/product/0",
        "/product/2001",
        "/product/99999999999",
        "/product/2001/edit",
        "/product/x",
    ] {
        assert_eq!(client.get(missing).status, 404, "{missing}");
    }
    let long = format!("note={}&csrf_token={token}", "x".repeat(2_001));
    assert_eq!(client.post("/product/7/edit", &long).status, 413);
}

#[test]
fn searches_come_in_chunks_and_lead_on() {
    let shop = Shop::start(Wish::default());
    let mut client = Client::signed_in(&shop.web.address);
    let answer = client.get("/search?q=oak");
    assert_eq!(answer.header("transfer-encoding"), "chunked");
    let text = answer.text();
    assert_eq!(text.matches("<tr>").count(), 20);
    assert!(text.contains("href=\"/search?q=oak&amp;page=1\""));
    assert!(text.ends_with("</html>\n"));
    let none = client.get("/search?q=%3Cb%3E").text();
    assert!(
        none.contains("<p>0 products</p>") && none.contains("value=\"&lt;b&gt;\""),
        "{none}"
    );
    assert_eq!(
        client.get(&format!("/search?q={}", "x".repeat(65))).status,
        400
    );
    assert_eq!(client.get("/search?q=oak&page=1001").status, 400);
}

#[test]
fn a_dashboard_names_all_resources_and_charts() {
    let shop = Shop::start(Wish::default());
    let mut client = Client::signed_in(&shop.web.address);
    let text = client.get("/dashboard?region=3").text();
    let resources: Vec<_> = text
        .split('"')
        .filter(|part| part.starts_with("/static/"))
        .collect();
    assert_eq!(resources.len(), 23);
    for path in resources {
        assert_eq!(client.get(path).status, 200, "{path}");
    }
    let charts: Vec<_> = text
        .split('"')
        .filter(|part| part.starts_with("/api/"))
        .collect();
    assert_eq!(charts.len(), 4);
    for path in charts {
        let answer = client.get(path);
        assert_eq!(answer.header("content-type"), "application/json");
        assert!(answer.text().contains("\"region\":3"), "{path}");
    }
    assert_eq!(client.get("/api/chart/nothing").status, 404);
}

#[test]
fn what_is_compressed_is_the_same() {
    let shop = Shop::start(Wish::default());
    let mut client = Client::signed_in(&shop.web.address);
    for path in [
        "/static/shop.js",
        "/static/icon-home.svg",
        "/dashboard",
        "/api/chart/top-products",
    ] {
        let plain = client.get(path);
        assert_eq!(plain.header("content-encoding"), "", "{path}");
        let packed = client.get_with(path, &[("accept-encoding", "br, gzip")]);
        assert_eq!(packed.header("content-encoding"), "gzip", "{path}");
        let mut unpacked = Vec::new();
        GzDecoder::new(&packed.body[..])
            .read_to_end(&mut unpacked)
            .unwrap();
        assert_eq!(unpacked, plain.body, "{path}");
        assert_eq!(
            (plain.header("vary"), packed.header("vary")),
            ("Accept-Encoding", "Accept-Encoding")
        );
    }
    let image = client.get_with("/static/logo.png", &[("accept-encoding", "gzip")]);
    assert_eq!(image.header("content-encoding"), "");
    assert_eq!(image.header("cache-control"), "public, max-age=86400");
}

#[test]
fn what_a_client_has_is_not_sent_again() {
    let shop = Shop::start(Wish::default());
    let mut client = Client::new(&shop.web.address);
    let path = "/static/icon-home.svg";
    let first = client.get(path);
    assert_eq!(first.header("cache-control"), "no-cache");
    let etag = first.header("etag");
    for known in [
        etag.to_owned(),
        format!("W/{etag}"),
        format!("\"x\", {etag}"),
        "*".to_owned(),
    ] {
        let again = client.get_with(path, &[("if-none-match", &known)]);
        assert_eq!((again.status, again.body.len()), (304, 0), "{known}");
        assert_eq!(again.header("etag"), etag);
    }
    assert_eq!(
        client.get_with(path, &[("if-none-match", "\"x\"")]).status,
        200
    );
    let headers = [("if-none-match", etag), ("accept-encoding", "gzip")];
    assert_eq!(
        client.get_with(path, &headers).status,
        200,
        "the other form has another name"
    );
    let head = client.send(Method::HEAD, path, &[], "");
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-length"), first.body.len().to_string());
    let refused = client.post(path, "");
    assert_eq!(
        (refused.status, refused.header("allow")),
        (405, "GET, HEAD")
    );
    assert_eq!(client.get("/static/none").status, 404);
}
