//! The engine in simulated time: load models, phases, failures, commands.
#![allow(clippy::unwrap_used, missing_docs)]

mod load_models;
mod personas;
mod phases;
mod shares;
mod transactions;
mod waiter;
