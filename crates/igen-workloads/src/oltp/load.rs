//! Creates and loads the database, unless it is there.

use std::time::Duration;

use igen_drivers::sqlite::{Found, Loader, look};
use igen_engine::Progress;
use igen_job::JobError;

use super::Oltp;
use super::generate::{Customer, Generator, Order};
use super::schema::{
    CREATE_INDEX, INSERT_CUSTOMER, INSERT_ORDER, Metadata, VERSION, create_tables,
};

/// Rows written together; between batches the load may be interrupted.
const ROWS_PER_BATCH: i64 = 10_000;
/// Time between two looks at a load by another process.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Size of a loaded SQLite database; a test compares it with the size that it has.
pub(super) const BYTES_PER_CUSTOMER: u64 = 1_171;
/// Space that must be free: a quarter more, for the sort of the index and the log.
const NEEDED_BYTES_PER_CUSTOMER: u64 = BYTES_PER_CUSTOMER + BYTES_PER_CUSTOMER / 4;

impl Oltp {
    /// Loads the database, or checks that the one that is there was loaded with the same figures.
    pub(super) async fn load_if_missing(&self, progress: &Progress) -> Result<(), JobError> {
        let needed_bytes = u64::from(self.params.customers) * NEEDED_BYTES_PER_CUSTOMER;
        loop {
            match look(&self.path)? {
                Found::Igen => return self.same_metadata(),
                Found::Foreign(what) => return Err(self.foreign(what)),
                Found::Nothing => (),
            }
            if let Some(loader) = Loader::start(&self.path, needed_bytes, self.setup.force)? {
                return self.load(loader, progress).await;
            }
            progress.report(
                "waiting for another process that loads the database",
                0,
                1,
                "databases",
            );
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    async fn load(&self, loader: Loader, progress: &Progress) -> Result<(), JobError> {
        let generator = self.generator();
        let rows = generator.customers() + generator.orders();
        let report = |text: &str, done: i64| {
            progress.report(text, done.cast_unsigned(), rows.cast_unsigned(), "rows");
        };
        loader.execute(&create_tables(self.metadata()))?;
        for batch in batches(generator.customers()) {
            report("loading customers", *batch.start());
            load_customers(&loader, generator, batch)?;
            tokio::task::yield_now().await;
        }
        for batch in batches(generator.orders()) {
            report("loading orders", generator.customers() + batch.start());
            load_orders(&loader, generator, batch)?;
            tokio::task::yield_now().await;
        }
        loader.execute(CREATE_INDEX)?;
        loader.finish()?;
        report("loaded", rows);
        Ok(())
    }

    /// What the database must have been loaded with.
    pub(super) fn metadata(&self) -> Metadata {
        Metadata {
            version: VERSION,
            seed: self.setup.seed,
            customers: self.params.customers,
        }
    }

    /// Checks that the database was loaded with this job's figures.
    pub(super) fn same_metadata(&self) -> Result<(), JobError> {
        let name = self.path.display();
        let found = self
            .session(&[])
            .and_then(|session| Metadata::read(&session))
            .map_err(|failure| JobError::new(format!("{name}: {}", failure.reason)))?;
        let Some(found) = found else {
            return Err(self.foreign("a database of another workload"));
        };
        let asked = self.metadata();
        if found == asked {
            return Ok(());
        }
        Err(JobError::new(format!(
            "{name} was loaded with customers = {}, seed = {}, schema version {}; this job asks \
             for customers = {}, seed = {}, schema version {}",
            found.customers, found.seed, found.version, asked.customers, asked.seed, asked.version,
        ))
        .hint(format!(
            "ask for the same, choose another target, or {}",
            self.how_to_remove()
        )))
    }

    /// For a hint.
    pub(super) fn how_to_remove(&self) -> String {
        format!(
            "remove it with `igen cleanup oltp --target {}`",
            self.setup.targets[0]
        )
    }

    pub(super) fn foreign(&self, what: &str) -> JobError {
        JobError::new(format!("{} is {what}: left alone", self.path.display()))
            .hint("choose a file that is not there yet: it will be created")
    }
}

fn load_customers(
    loader: &Loader,
    generator: Generator,
    ids: std::ops::RangeInclusive<i64>,
) -> Result<(), JobError> {
    let mut batch = loader.batch(INSERT_CUSTOMER)?;
    let mut row = Customer::default();
    for id in ids {
        generator.customer(id, &mut row);
        batch.insert(&row.values())?;
    }
    batch.commit()
}

fn load_orders(
    loader: &Loader,
    generator: Generator,
    ids: std::ops::RangeInclusive<i64>,
) -> Result<(), JobError> {
    let mut batch = loader.batch(INSERT_ORDER)?;
    let mut row = Order::default();
    for id in ids {
        generator.order(id, &mut row);
        batch.insert(&row.values())?;
    }
    batch.commit()
}

/// The keys 1 to `last`, in batches.
fn batches(last: i64) -> impl Iterator<Item = std::ops::RangeInclusive<i64>> {
    let mut first = 1;
    std::iter::from_fn(move || {
        let batch = first..=last.min(first + ROWS_PER_BATCH - 1);
        first += ROWS_PER_BATCH;
        (!batch.is_empty()).then_some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_cover_every_key_once() {
        for last in [
            0,
            1,
            ROWS_PER_BATCH - 1,
            ROWS_PER_BATCH,
            3 * ROWS_PER_BATCH + 7,
        ] {
            assert!(batches(last).flatten().eq(1..=last), "{last}");
        }
    }
}
