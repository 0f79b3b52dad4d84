//! How the tiers work together, and what they bear.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use common::{Client, Server, Shop, Wish};
use hyper::Method;
use igen_shop::{Limits, tls, web};
use serde_json::{Value, json};

/// Longer than any of it takes.
const GUARD: Duration = Duration::from_mins(1);

/// How many requests a tier has counted in all.
fn total(counts: &Value) -> u64 {
    let rows = counts["requests"].as_array().unwrap();
    rows.iter().map(|row| row["count"].as_u64().unwrap()).sum()
}

/// What the server says to these bytes until it closes the connection.
fn said_to(address: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(GUARD)).unwrap();
    // It may have closed the connection before all is sent.
    let _ = stream.write_all(bytes);
    let mut said = Vec::new();
    // A reset is an end as well.
    let _ = stream.read_to_end(&mut said);
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn requests_are_dealt_evenly() {
    let shop = Shop::start(Wish {
        nodes: 4,
        ..Wish::default()
    });
    let mut clients: Vec<_> = (0..3).map(|_| Client::new(&shop.web.address)).collect();
    for number in 0..40 {
        assert_eq!(clients[number % 3].get("/login").status, 200);
    }
    let counts = shop.about("counts/app");
    let totals: Vec<_> = counts.as_array().unwrap().iter().map(total).collect();
    assert_eq!(totals, [10, 10, 10, 10]);
}

#[test]
fn what_was_asked_is_counted_by_every_tier() {
    let shop = Shop::start(Wish::default());
    let mut client = Client::signed_in(&shop.web.address);
    for id in 1..=3 {
        client.get(&format!("/product/{id}"));
    }
    client.get("/product/1");
    client.get("/static/logo.png");
    client.get("/none");
    let row = |method: &str, path: &str, status: u16, count: u64| json!({"method": method, "path": path, "status": status, "count": count});
    let passed_on = [
        row("GET", "/login", 200, 1),
        row("GET", "/none", 404, 1),
        row("GET", "/product/{id}", 200, 4),
    ];
    let mut by_web = passed_on.to_vec();
    by_web.extend([
        row("GET", "/static/logo.png", 200, 1),
        row("POST", "/login", 302, 1),
    ]);
    assert_eq!(
        shop.about("counts"),
        json!({"tier": "web", "requests": by_web})
    );
    let mut by_app = passed_on.to_vec();
    by_app.push(row("POST", "/login", 302, 1));
    let app = json!({"tier": "app", "requests": by_app, "cache": {"hits": 1, "misses": 3}});
    assert_eq!(shop.about("counts/app"), json!([app]));
    let by_data = [row("GET", "/product/{id}", 200, 3)];
    assert_eq!(
        shop.about("counts/data"),
        json!({"tier": "data", "requests": by_data})
    );
}

#[test]
fn without_the_cache_the_data_are_asked_each_time() {
    let shop = Shop::start(Wish {
        cache: false,
        ..Wish::default()
    });
    let mut client = Client::signed_in(&shop.web.address);
    for _ in 0..5 {
        client.get("/api/chart/top-products");
    }
    assert_eq!(shop.about("counts/app")[0]["cache"], Value::Null);
    assert_eq!(total(&shop.about("counts/data")), 5);
}

#[test]
fn an_application_that_is_gone_is_told_and_comes_back() {
    let mut shop = Shop::start(Wish {
        nodes: 2,
        ..Wish::default()
    });
    let address = shop.web.address.clone();
    let mut client = Client::signed_in(&address);
    shop.end_app(0);
    for _ in 0..4 {
        assert_eq!(client.get("/home").status, 200, "the other one answers");
    }
    assert_eq!(client.get("/-/ready").status, 503);
    shop.end_app(1);
    let gone = client.get("/home");
    assert_eq!(gone.status, 502);
    assert_eq!(gone.text(), "502 cannot reach any application\n");
    assert_eq!(client.get("/static/logo.png").status, 200);
    shop.start_app(1);
    assert_eq!(client.get("/home").status, 200, "signed in as before");
    assert_eq!(shop.about("counts/app")[0], Value::Null);
    shop.start_app(0);
    assert_eq!(client.get("/-/ready").status, 200);
    shop.end_data();
    let without_data = client.get("/product/9");
    assert_eq!(without_data.status, 502);
    assert_eq!(without_data.text(), "502 the data tier does not answer\n");
    assert_eq!(
        client.get("/-/ready").text(),
        "503 the data tier does not answer\n"
    );
}

#[test]
fn long_heads_and_bodies_are_refused() {
    let shop = Shop::start(Wish::default());
    let address = &shop.web.address;
    let long = "x".repeat(100 << 10);
    let head = format!("GET / HTTP/1.1\r\nHost: shop\r\nX-Long: {long}\r\n\r\n");
    assert!(said_to(address, head.as_bytes()).starts_with("HTTP/1.1 431 "));
    let many = "X-Many: 1\r\n".repeat(200);
    let head = format!("GET / HTTP/1.1\r\nHost: shop\r\n{many}\r\n");
    assert!(said_to(address, head.as_bytes()).starts_with("HTTP/1.1 431 "));
    assert!(said_to(address, b"no request\r\n\r\n").starts_with("HTTP/1.1 400 "));
    let mut client = Client::new(address);
    assert_eq!(client.send(Method::POST, "/login", &[], &long).status, 413);
}

#[test]
fn a_body_in_chunks_arrives_whole_whatever_else_is_said_of_its_length() {
    let shop = Shop::start(Wish::default());
    for more in [
        "",
        "Content-Length: 1\r\n",
        "Content-Length: 1\r\nContent-Length: 2\r\n",
    ] {
        let request = format!(
            "POST /login HTTP/1.1\r\nHost: shop\r\nCookie: visit=x\r\n{more}Transfer-Encoding: chunked\r\n\
             Connection: close\r\n\r\n3\r\na=b\r\n0\r\n\r\n"
        );
        let said = said_to(&shop.web.address, request.as_bytes());
        let refused = said.starts_with("HTTP/1.1 400 ") || said.contains("csrf_token is missing");
        assert!(refused, "{more:?}: {said}");
    }
    // The connection to the application is in order.
    let mut client = Client::signed_in(&shop.web.address);
    assert_eq!(client.get("/home").status, 200);
}

#[test]
fn slow_clients_are_not_waited_for() {
    let shop = Shop::start(Wish {
        limits: Limits {
            idle: Duration::from_millis(200),
            transfer: Duration::from_millis(200),
            ..Limits::default()
        },
        ..Wish::default()
    });
    let address = &shop.web.address;
    // Each of them would wait for ever.
    assert_eq!(said_to(address, b""), "");
    said_to(address, b"GET / HTTP/1.1\r\nHost:");
    let half = b"POST /login HTTP/1.1\r\nHost: shop\r\nContent-Length: 10\r\n\r\nhalf";
    assert!(said_to(address, half).starts_with("HTTP/1.1 408 "));
    let idle = said_to(
        address,
        b"GET /static/icon-exit.svg HTTP/1.1\r\nHost: shop\r\n\r\n",
    );
    assert!(idle.ends_with("</svg>\n"));
}

#[test]
fn a_client_that_takes_nothing_is_left() {
    let shop = Shop::start(Wish {
        limits: Limits {
            transfer: Duration::from_millis(200),
            ..Limits::default()
        },
        ..Wish::default()
    });
    let mut stream = TcpStream::connect(&shop.web.address).unwrap();
    stream.set_write_timeout(Some(GUARD)).unwrap();
    let request = b"GET /static/library.js HTTP/1.1\r\nHost: shop\r\n\r\n".repeat(100);
    // It is asked for more than the system holds, and what it answers is never read.
    let mut outcome = Ok(());
    for _ in 0..10_000 {
        outcome = stream.write_all(&request);
        if outcome.is_err() {
            break;
        }
    }
    let error = outcome.unwrap_err();
    let closed = [
        std::io::ErrorKind::ConnectionReset,
        std::io::ErrorKind::BrokenPipe,
    ];
    assert!(closed.contains(&error.kind()), "{error}");
}

#[test]
fn over_tls_the_same_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let Some((shop, certificate, key)) = Shop::start_over_tls(folder.path()) else {
        return; // openssl is not there
    };
    let said = std::process::Command::new("openssl")
        .args([
            "s_client",
            "-quiet",
            "-verify_return_error",
            "-verify_hostname",
            "localhost",
        ])
        .args(["-CAfile", &certificate, "-connect", &shop.web.address])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .and_then(|mut client| {
            let request = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            client.stdin.as_mut().unwrap().write_all(request)?;
            client.wait_with_output()
        })
        .unwrap();
    assert!(String::from_utf8_lossy(&said.stdout).starts_with("HTTP/1.1 200 OK"));
    assert!(!said_to(&shop.web.address, b"GET / HTTP/1.1\r\n\r\n").contains("HTTP"));
    let error = tls::config(key.as_ref(), key.as_ref(), tls::BOTH).unwrap_err();
    assert_eq!(error.path, "--certificate");
}

/// A web server before an application that takes connections and says nothing.
fn before_silence(behind: Duration) -> (tempfile::TempDir, UnixListener, Server) {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("app-0");
    let silent = UnixListener::bind(&socket).unwrap();
    let options = web::Options {
        listen: vec!["127.0.0.1:0".parse().unwrap()],
        tls: None,
        apps: vec![socket],
        seed: 1,
        limits: Limits {
            behind,
            ..Limits::default()
        },
    };
    let web = Server::start(move |ready, stop| web::serve(options, ready, stop));
    (folder, silent, web)
}

#[test]
fn an_application_that_says_nothing_is_not_waited_for() {
    let (_folder, _silent, web) = before_silence(Duration::from_millis(100));
    let mut client = Client::new(&web.address);
    let answer = client.get("/home");
    assert_eq!(answer.status, 504);
    assert_eq!(
        answer.text(),
        "504 the application did not answer in time\n"
    );
    let ready = client.get("/-/ready");
    assert_eq!(ready.text(), "503 application 1 does not answer\n");
}

#[test]
fn a_request_whose_client_left_is_counted_as_unanswered() {
    let (_folder, silent, web) = before_silence(GUARD);
    let mut leaving = TcpStream::connect(&web.address).unwrap();
    leaving
        .write_all(b"GET /home HTTP/1.1\r\nHost: shop\r\n\r\n")
        .unwrap();
    // The request has reached the application.
    let _held = silent.accept().unwrap();
    drop(leaving);
    let mut client = Client::new(&web.address);
    let start = Instant::now();
    loop {
        let counts: Value = serde_json::from_slice(&client.get("/-/counts").body).unwrap();
        if counts["requests"]
            == json!([{"method": "GET", "path": "/home", "status": 0, "count": 1}])
        {
            break;
        }
        assert!(start.elapsed() < GUARD, "{counts}");
    }
}
