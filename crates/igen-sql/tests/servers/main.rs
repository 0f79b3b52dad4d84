//! The drivers against real servers.
#![allow(clippy::unwrap_used, clippy::expect_used)]

/// Runs each test on both kinds of servers.
macro_rules! on_each_server {
    ($($test:ident),* $(,)?) => {
        mod mariadb {
            $(#[tokio::test(flavor = "local")]
            async fn $test() {
                super::$test(crate::server::Product::Mariadb).await;
            })*
        }
        mod postgresql {
            $(#[tokio::test(flavor = "local")]
            async fn $test() {
                super::$test(crate::server::Product::Postgresql).await;
            })*
        }
    };
}

mod frozen;
mod load;
mod mariadb_only;
mod pooler;
mod postgresql_only;
mod server;
mod session;
mod tls;
