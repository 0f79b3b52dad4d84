//! `bare_loop TARGET CONNECTIONS RUN_S`: this client without the engine. As many connections on one thread, each of
//! which asks for `/` again and again: no clock, no statistics, no monitors. What a load process costs more by request
//! is the engine's (`bench/run http`).

use std::cell::Cell;
use std::error::Error;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use igen_http::{Client, Protocol, Reading, Request, Site, TlsSessions};
use igen_net::Resumption;
use tokio::runtime::{Builder, LocalOptions};
use tokio::task::JoinSet;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// As a user of `http` waits, unless its job says otherwise.
const LIMIT: Duration = Duration::from_secs(30);

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, connections, run_s] = arguments.as_slice() else {
        return Err("usage: bare_loop TARGET CONNECTIONS RUN_S".into());
    };
    let site = Site::of(
        target,
        "TARGET",
        Protocol::Http1,
        igen_job::Credentials::Own,
    )?;
    let request = Request::new("GET", &site.authority(), "/", &[], b"")?;
    let time = Duration::from_secs_f64(run_s.parse()?);
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build_local(LocalOptions::default())?;
    let load = load(Arc::new(site), Rc::new(request), connections.parse()?, time);
    let (answers, took) = runtime.block_on(load)?;
    println!("{answers} answers in {:.3} s", took.as_secs_f64());
    Ok(())
}

/// Connects all, and asks for so long; how many answers there were, and in which time.
async fn load(
    site: Arc<Site>,
    request: Rc<Request>,
    connections: u32,
    time: Duration,
) -> Outcome<(u64, Duration)> {
    let sessions =
        TlsSessions::of(&site, Resumption::Own).map_err(|error| error.reason().to_string())?;
    let mut clients = Vec::new();
    for _ in 0..connections {
        let mut client =
            Client::new(&site, &sessions, LIMIT).map_err(|error| error.reason().to_string())?;
        client.join_ring();
        client
            .connect()
            .await
            .map_err(|error| error.reason().to_string())?;
        clients.push(client);
    }
    let (answers, over) = (Rc::new(Cell::new(0)), Arc::new(AtomicBool::new(false)));
    let mut users = JoinSet::new();
    let begin = Instant::now();
    for client in clients {
        let (request, answers) = (Rc::clone(&request), Rc::clone(&answers));
        users.spawn_local(ask(client, request, answers, Arc::clone(&over)));
    }
    // Not a timer of the event loop, which would read the clock at each turn.
    std::thread::spawn(move || {
        std::thread::sleep(time);
        over.store(true, Ordering::Relaxed);
    });
    while let Some(ended) = users.join_next().await {
        ended??;
    }
    Ok((answers.get(), begin.elapsed()))
}

/// Asks until the time is over. An error of an answer that is not right.
async fn ask(
    mut client: Client,
    request: Rc<Request>,
    answers: Rc<Cell<u64>>,
    over: Arc<AtomicBool>,
) -> Result<(), String> {
    let reading = Reading::new(None, u64::MAX);
    while !over.load(Ordering::Relaxed) {
        let answered = client.ask(&request, &reading, 0).await;
        let answer = answered.map_err(|broken| broken.error.reason().to_string())?;
        if answer.status != 200 {
            return Err(format!("status {}", answer.status));
        }
        answers.set(answers.get() + 1);
    }
    Ok(())
}
