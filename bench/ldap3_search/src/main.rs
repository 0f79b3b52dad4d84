//! `ldap3_search URL BASE CONNECTIONS SECONDS LOW HIGH`: equality searches with the `ldap3` crate, all
//! connections on one thread, their rate once a second. Anonymous; all attributes; entries are counted and
//! not looked into.

use std::cell::Cell;
use std::error::Error;
use std::rc::Rc;
use std::time::{Duration, Instant};

use ldap3::{LdapConnAsync, Scope};
use tokio::runtime::Builder;
use tokio::task::{LocalSet, spawn_local};

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, base, connections, seconds, low, high] = arguments.as_slice() else {
        return Err("usage: ldap3_search URL BASE CONNECTIONS SECONDS LOW HIGH".into());
    };
    let (connections, seconds): (u32, u32) = (connections.parse()?, seconds.parse()?);
    let (low, high): (u32, u32) = (low.parse()?, high.parse()?);
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let searches = Rc::new(Cell::new(0));
    let users = LocalSet::new();
    for _ in 0..connections {
        let (url, base, searches) = (url.clone(), base.clone(), Rc::clone(&searches));
        users.spawn_local(async move {
            if let Err(error) = search(&url, &base, low, high, &searches).await {
                eprintln!("ldap3_search: {error}");
                std::process::exit(1);
            }
        });
    }
    users.block_on(&runtime, report(seconds, &searches));
    Ok(())
}

/// Searches until the program ends.
async fn search(url: &str, base: &str, low: u32, high: u32, searches: &Cell<u32>) -> Outcome {
    let (connection, mut ldap) = LdapConnAsync::new(url).await?;
    spawn_local(async move { connection.drive().await });
    loop {
        let filter = format!("(uid=user.{}0)", fastrand::u32(low..=high));
        let found = ldap
            .search(base, Scope::Subtree, &filter, vec!["*"])
            .await?;
        let (entries, _) = found.success()?;
        if entries.len() != 1 {
            return Err(format!("{filter}: {} entries", entries.len()).into());
        }
        searches.set(searches.get() + 1);
    }
}

async fn report(seconds: u32, searches: &Cell<u32>) {
    let mut since = Instant::now();
    for _ in 0..seconds {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let elapsed_s = since.elapsed().as_secs_f64();
        since = Instant::now();
        println!(
            "{:.1} searches/s",
            f64::from(searches.replace(0)) / elapsed_s
        );
    }
}
