#![allow(clippy::unwrap_used, clippy::expect_used)]

use igen_engine::{Failure, Recorder, Setup, Then, User, UserContext, Workload};
use igen_http::Client;
use rustix::process::{Resource, getrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::Web;
use super::fetch::Lane;
use super::params::Params;
use super::user::WebUser;
use crate::http::HttpVersion;

pub fn web(scenario: &str, target: &str) -> Web {
    let params = Params {
        scenario: Some(toml::from_str(scenario).expect(scenario)),
        ..Params::default()
    };
    Web::new(params, setup(target)).unwrap()
}

fn setup(target: &str) -> Setup {
    Setup {
        targets: vec![target.to_owned()],
        users: 1,
        own_users: 1,
        agent_users: 1,
        stream: true,
        rest_s: 0.0,
        seed: 1,
        force: false,
        i_own_this_data: false,
        credentials: igen_job::Credentials::Own,
    }
}

/// Answers each request with these, on one connection, and gives the requests back.
async fn serve(listener: TcpListener, answers: &[&str]) -> Vec<String> {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut asked = Vec::new();
    for answer in answers {
        let mut bytes = [0; 4096];
        let length = stream.read(&mut bytes).await.unwrap();
        asked.push(String::from_utf8(bytes[..length].to_vec()).unwrap());
        stream.write_all(answer.as_bytes()).await.unwrap();
    }
    asked
}

/// What is asked while one page is done, and why it fails; empty where it does not.
pub async fn page(scenario: &str, answers: &[&str]) -> (Vec<String>, String) {
    let (asked, done) = pages(scenario, answers, 1).await;
    let reason = |failure: Failure| failure.reason.to_string();
    (asked, done.map_or_else(reason, |()| String::new()))
}

/// What is asked while a user comes and does so many pages, and how it ends.
pub async fn pages(
    scenario: &str,
    answers: &[&str],
    count: usize,
) -> (Vec<String>, Result<(), Failure>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}/base", listener.local_addr().unwrap());
    let web = web(scenario, &target);
    let load = async {
        let context = UserContext {
            id: 7,
            seed: 1,
            target: 0,
        };
        let mut user = web.user(context).await?;
        let operations = web.operations().len();
        let mut recorder = Recorder::detached(operations, super::meter::COUNTERS.len()).unwrap();
        for _ in 0..count {
            user.transaction(&mut recorder).await?;
        }
        Ok::<(), Failure>(())
    };
    tokio::join!(serve(listener, answers), load)
}

pub const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nWelcome";
const LOGIN: &str = "
session = { steps = [{ page = 'login' }] }
defaults = { redirects = 2 }
[[page]]
name = 'login'
[[page.request]]
post = '/login?u={user.id}'
form = { 'a b' = 'c&d {user.id}' }
";

#[tokio::test(flavor = "local")]
async fn a_redirect_is_followed_with_the_cookies_of_the_answer() {
    let moved = "HTTP/1.1 302 Found\r\nLocation: home?x=1\r\nSet-Cookie: s=1; Path=/base\r\nContent-Length: 0\r\n\r\n";
    let (asked, reason) = page(LOGIN, &[moved, OK]).await;
    assert_eq!(reason, "");
    assert!(asked[0].starts_with("POST /base/login?u=7 HTTP/1.1\r\nHost: 127.0.0.1:"));
    assert!(
        asked[0].ends_with("Content-Length: 15\r\n\r\na%20b=c%26d%207"),
        "{}",
        asked[0]
    );
    assert!(asked[1].starts_with("GET /base/home?x=1 HTTP/1.1\r\n"));
    assert!(asked[1].ends_with("Cookie: s=1\r\n\r\n"), "{}", asked[1]);
}

#[tokio::test(flavor = "local")]
async fn a_redirect_may_keep_its_method_lead_astray_or_go_round() {
    let to = |status: u16, place: &str| {
        format!("HTTP/1.1 {status} Moved\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n")
    };
    let (asked, reason) = page(LOGIN, &[&to(307, "/x"), OK]).await;
    assert_eq!(reason, "");
    assert!(asked[1].starts_with("POST /x HTTP/1.1\r\n") && asked[1].ends_with("a%20b=c%26d%207"));
    // As browsers do: a form that was sent is not sent again, and what is deleted is deleted elsewhere.
    for (method, status, becomes) in [
        ("put", 302, "PUT"),
        ("put", 303, "GET"),
        ("delete", 302, "DELETE"),
    ] {
        let scenario = LOGIN.replace("post =", &format!("{method} ="));
        let (asked, reason) = page(&scenario, &[&to(status, "/x"), OK]).await;
        assert_eq!(reason, "");
        assert!(
            asked[1].starts_with(&format!("{becomes} /x HTTP/1.1\r\n")),
            "{}",
            asked[1]
        );
        assert_eq!(asked[1].ends_with("a%20b=c%26d%207"), becomes != "GET");
    }
    let away = to(302, "http://elsewhere.lab/");
    assert_eq!(
        page(LOGIN, &[&away]).await.1,
        "login: a redirect to another host: elsewhere.lab"
    );
    let (there, back) = (to(302, "/there?x=1"), to(302, "/back"));
    assert_eq!(
        page(LOGIN, &[&back, &there, &back]).await.1,
        "login: more than 2 redirects, the last from /there to /back"
    );
    let named = format!("{LOGIN}expect = {{ status = 302, header = {{ location = '/home' }} }}");
    assert_eq!(page(&named, &[&to(302, "/home")]).await.1, "");
    let other = page(&named, &[&to(302, "/login")]).await.1;
    assert_eq!(other, "login: a header location without the expected text");
}

#[tokio::test(flavor = "local")]
async fn a_page_fails_with_its_name_and_its_reason() {
    let busy = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n";
    for (more, answer, reason) in [
        ("", busy, "login: status 503"),
        (
            "expect = { contains = 'Hello' }",
            OK,
            "login: a body without the expected text",
        ),
        (
            "expect = { json = { '/ok' = true } }",
            OK,
            "login: a body without the expected JSON",
        ),
        (
            "expect = { max_bytes = 3 }",
            OK,
            "login: a body of more than max_bytes",
        ),
        (
            "extract.token = { header = 'X-Token' }",
            OK,
            "login: no token in the answer",
        ),
        ("", "Hello\r\n\r\n", "login: malformed answer: not HTTP/1.1"),
    ] {
        assert_eq!(
            page(&format!("{LOGIN}{more}"), &[answer]).await.1,
            reason,
            "{more}"
        );
    }
}

#[tokio::test(flavor = "local")]
async fn after_a_page_that_failed_a_user_does_what_the_scenario_says() {
    let busy = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n";
    for (word, then) in [
        ("restart", Then::Anew),
        ("next page", Then::GoOn),
        ("stop the user", Then::End),
    ] {
        let session = format!("session = {{ on_failure = '{word}', ");
        let failure = pages(&LOGIN.replace("session = { ", &session), &[busy], 1).await;
        let failure = failure.1.unwrap_err();
        assert_eq!(failure.then, then, "{word}");
    }
}

#[test]
fn users_stop_only_where_nobody_takes_their_place() {
    let refused = |on_failure: &str, load: &str| {
        let session = format!("session = {{ on_failure = '{on_failure}', ");
        let scenario = LOGIN.replace("session = { ", &session);
        let params = Params {
            scenario: Some(toml::from_str(&scenario).unwrap()),
            ..Params::default()
        };
        let load: igen_job::Load = serde_json::from_str(load).unwrap();
        let setup = Setup {
            stream: load.is_stream(),
            rest_s: load.rest_s(),
            ..setup("http://127.0.0.1")
        };
        Web::new(params, setup).err()
    };
    let grows = r#"{"open": {"rate_per_s": 9}}"#;
    for load in [
        r#"{"open": {"rate_per_s": 9, "users": 2}}"#,
        r#"{"paced": {"rate_per_user_per_s": 9, "users": 2}}"#,
        r#"{"closed": {"users": 2}}"#,
        r#"{"closed": {"users": 2, "think_time_s": 1}}"#,
    ] {
        assert!(refused("stop the user", load).is_none(), "{load}");
    }
    assert!(refused("next page", grows).is_none());
    let error = refused("stop the user", grows).unwrap();
    assert_eq!(error.path, "params.scenario.session.on_failure");
    assert!(error.hint.contains("`users` of the load"), "{error}");
}

#[test]
fn who_closes_its_connections_before_it_thinks_needs_no_file_for_each_user() {
    const MORE_THAN_THERE_ARE: u32 = 10_000_000;
    const PAUSE: &str = "think = 48\n[[page.request]]";
    let thinks = LOGIN.replace("[[page.request]]", PAUSE);
    let also_a_page_without = thinks.replace("'login' }]", "'login' }, { page = 'home' }]")
        + "[[page]]\nname = 'home'\n[[page.request]]\nget = '/'\n";
    let once_one_without = thinks.clone()
        + "[[page]]\nname = 'home'\n[[page.request]]\nget = '/'\n[[once]]\npage = 'home'\n";
    for (keep, scenario, stream, rest_s, is_refused) in [
        ("0", LOGIN, false, 48.0, false),
        ("1", LOGIN, false, 48.0, true),
        ("'all'", LOGIN, false, 48.0, true),
        ("0", LOGIN, true, 0.0, true),
        // An answer takes longer than this.
        ("0", LOGIN, false, 0.001, true),
        ("0", &thinks, true, 0.0, false),
        ("1", &thinks, true, 0.0, true),
        // The timetable of a paced load has the say.
        ("0", &thinks, false, 0.001, true),
        ("0", &also_a_page_without, true, 0.0, true),
        // Pages of `once` are not thought about.
        ("0", &once_one_without, true, 0.0, false),
    ] {
        let text = format!("browser = {{ keep = {keep} }}\n{scenario}");
        let params = Params {
            scenario: Some(toml::from_str(&text).expect(&text)),
            ..Params::default()
        };
        let setup = Setup {
            stream,
            rest_s,
            agent_users: MORE_THAN_THERE_ARE,
            ..setup("http://127.0.0.1")
        };
        let refused = Web::new(params, setup).err();
        assert_eq!(
            refused.is_some(),
            is_refused,
            "keep {keep}, rest {rest_s} s: {scenario}"
        );
    }
}

#[test]
fn files_that_all_users_would_need_at_once_are_told_before_the_load() {
    let Some(most) = getrlimit(Resource::Nofile).maximum else {
        return;
    };
    // They have a file each, and a port.
    let users = u32::try_from(most / 4).unwrap_or(u32::MAX);
    let here = "http://127.0.0.1".to_owned();
    let targets = vec![here; users.div_ceil(10_000) as usize];
    let resources = |count: usize| {
        let gets = (0..count).map(|number| format!("{{ get = '/{number}' }}, "));
        LOGIN.replace(
            "[[page.request]]",
            &format!(
                "resource = [{}]\n[[page.request]]",
                gets.collect::<String>()
            ),
        )
    };
    for (count, browser, warns) in [
        (7, "", Some(format!("{users} users × 6 connections need"))),
        (
            7,
            "browser = { connections = 5 }",
            Some(format!("{users} users × 5 connections need")),
        ),
        (7, "browser = { connections = 2 }", None),
        (7, "browser = { protocol = 'h2' }", None),
        (1, "", None),
    ] {
        let text = format!("{browser}\n{}", resources(count));
        let params = Params {
            scenario: Some(toml::from_str(&text).expect(&text)),
            ..Params::default()
        };
        let setup = Setup {
            targets: targets.clone(),
            stream: false,
            rest_s: 48.0,
            agent_users: users,
            ..setup("")
        };
        let warnings = Web::new(params, setup).unwrap().warnings();
        assert_eq!(warnings.len(), usize::from(warns.is_some()), "{text}");
        for warning in warnings {
            assert!(warning.text.contains(&warns.clone().unwrap()), "{warning}");
            assert!(warning.hint.contains("`connections`"), "{warning}");
        }
    }
    let kept = format!("browser = {{ keep = 'all' }}\n{}", resources(7));
    let params = Params {
        scenario: Some(toml::from_str(&kept).unwrap()),
        ..Params::default()
    };
    let setup = Setup {
        agent_users: users,
        ..setup("http://127.0.0.1")
    };
    let error = Web::new(params, setup).err().unwrap();
    assert!(error.text.contains("users × 6 connections need"), "{error}");
    assert!(error.hint.contains("`keep`"), "{error}");
}

#[test]
fn a_server_that_anybody_may_own_is_not_loaded() {
    let made = |i_may_load: &[&str]| {
        let params = Params {
            i_may_load: i_may_load.iter().map(ToString::to_string).collect(),
            ..Params::default()
        };
        Web::new(params, setup("http://192.0.2.1/")).err()
    };
    let error = made(&[]).unwrap();
    assert_eq!(error.path, "targets[0]");
    assert!(error.text.contains("public address"), "{error}");
    assert!(error.hint.contains("i_may_load=192.0.2.1"), "{error}");
    assert_eq!(made(&["192.0.2.1"]), None);
}

#[test]
fn the_version_of_http_may_be_another_one_than_the_scenarios() {
    for (protocol, expected) in [
        (None, HttpVersion::Http1),
        (Some(HttpVersion::Http2), HttpVersion::Http2),
    ] {
        let params = Params {
            protocol,
            ..Params::default()
        };
        let web = Web::new(params, setup("http://127.0.0.1")).unwrap();
        assert_eq!(web.program.browser.protocol, expected);
    }
}

/// What a user of thousands is while it waits for an answer, beside what is allocated for its connection, cookies and
/// variables (bench/results/http.md has all of it).
#[tokio::test(flavor = "local")]
async fn a_user_waits_in_little_memory() {
    let web = web(LOGIN, "http://127.0.0.1:1");
    let server = &web.servers[0];
    let client = Client::new(&server.web.site, &server.web.sessions, web.program.limit).unwrap();
    let mut user = WebUser::new(client, &web.program, server, (1, 1), web.epoch, true);
    let mut recorder = Recorder::detached(1, super::meter::COUNTERS.len()).unwrap();
    let waiting = size_of_val(&user.transaction(&mut recorder));
    let bytes = waiting + size_of::<WebUser>() + size_of::<Lane>();
    assert!(bytes <= 1_920, "{bytes}, of them {waiting} of the future");
}
