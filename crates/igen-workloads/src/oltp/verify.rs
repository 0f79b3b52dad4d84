//! Checks before and after the load that the database is the one it should be.

use igen_drivers::sqlite::{FileIdentity, Found, Session, look};
use igen_drivers::value::Checksum;
use igen_engine::Failure;
use igen_job::JobError;

use super::generate::{Customer, Order};
use super::{ORDERS_PER_CUSTOMER, Oltp};

/// Customers whose rows are compared with the generator's.
const SAMPLE: i64 = 200;
/// One order too many in so many is no fault: a process that is killed in autocommit mode leaves one
/// for each of its users. There are never too few.
const ORDERS_PER_EXTRA_ORDER: i64 = 1_000;

const SAMPLE_STATEMENTS: &[&str] = &[
    "SELECT c_id, c_name, c_address, c_city, c_phone, c_credit, c_balance, c_since \
     FROM customers WHERE c_id = ?",
    "SELECT o_id, o_c_id, o_date, o_status, o_qty, o_amount, o_item, o_comment \
     FROM orders WHERE o_c_id = ? AND o_id <= ? ORDER BY o_id",
];
const SAMPLE_CUSTOMER: usize = 0;
const SAMPLE_ORDERS: usize = 1;

const COUNT_CUSTOMERS: &str = "SELECT COUNT(*), MIN(c_id), MAX(c_id) FROM customers";
const COUNT_ORDERS: &str = "SELECT COUNT(*), MIN(c_id), MAX(c_id), MIN(orders), SUM(orders) FROM \
    (SELECT o_c_id AS c_id, COUNT(*) AS orders FROM orders GROUP BY o_c_id) AS orders_by_customer";

impl Oltp {
    /// Before the load: checks that the file is iGen's.
    pub(super) fn verify_file(&self) -> Result<(), JobError> {
        match look(&self.path)? {
            Found::Igen => self.same_metadata(),
            Found::Foreign(what) => Err(self.foreign(what)),
            Found::Nothing => Err(
                JobError::new(format!("{} is not there", self.path.display()))
                    .hint("add the step `prepare`: it creates and loads the database"),
            ),
        }
    }

    /// After the load: checks that the file is still the one that the users opened.
    pub(super) fn verify_same_file(&self) -> Result<(), JobError> {
        if FileIdentity::of(&self.path) == self.opened_file() {
            return Ok(());
        }
        Err(JobError::new(format!(
            "{} was removed or replaced during the run",
            self.path.display()
        ))
        .hint("what was measured did not reach the database: run it again"))
    }

    /// The file that all users open: iGen's file that was there when this was first asked, which
    /// is before any connection of the load is open.
    pub(super) fn opened_file(&self) -> Option<FileIdentity> {
        *self.file.get_or_init(|| match look(&self.path) {
            Ok(Found::Igen) => FileIdentity::of(&self.path),
            _ => None,
        })
    }

    /// Checks counts and a sample.
    pub(super) fn verify_rows(&self) -> Result<(), JobError> {
        let fault = |text: &str| {
            JobError::new(format!("{}: {text}", self.path.display()))
                .hint(format!("{} and load it again", self.how_to_remove()))
        };
        let failed = |failure: Failure| fault(&failure.reason);
        let session = self.session(SAMPLE_STATEMENTS).map_err(failed)?;
        if let Some(text) = self.wrong_counts(&session).map_err(failed)? {
            return Err(fault(&text));
        }
        if let Some(text) = self.wrong_sample(session).map_err(failed)? {
            return Err(fault(&text));
        }
        Ok(())
    }

    fn wrong_counts(&self, session: &Session) -> Result<Option<String>, Failure> {
        let generator = self.generator();
        let customers = generator.customers();
        let found = session.integers(COUNT_CUSTOMERS)?;
        if found.as_deref() != Some(&[customers, 1, customers]) {
            return Ok(Some(format!(
                "customers 1 to {customers} are not all there (count, first, last: {found:?})"
            )));
        }
        let least = i64::from(ORDERS_PER_CUSTOMER);
        let found = session.integers(COUNT_ORDERS)?;
        let extra = i64::from(self.setup.users).max(generator.orders() / ORDERS_PER_EXTRA_ORDER);
        let most = generator.orders() + extra;
        Ok(match found.as_deref() {
            Some(&[count, first, last, fewest, orders])
                if (count, first, last) == (customers, 1, customers)
                    && fewest >= least
                    && orders <= most =>
            {
                None
            }
            _ => Some(format!(
                "not every customer has {least} orders (customers with orders, first, last, \
                 fewest orders of one, orders in all: {found:?})"
            )),
        })
    }

    /// Compares customers from the whole table, and those of their loaded orders that no
    /// transaction has deleted, with the generator's rows.
    fn wrong_sample(&self, mut session: Session) -> Result<Option<String>, Failure> {
        let generator = self.generator();
        let (mut customer, mut order) = (Customer::default(), Order::default());
        let sample = SAMPLE.min(generator.customers());
        for index in 0..sample {
            let id = 1 + index * generator.customers() / sample;
            generator.customer(id, &mut customer);
            let mut expected = Checksum::default();
            expected.row(&customer.values());
            if session.select(SAMPLE_CUSTOMER, &[id])?.checksum != expected {
                return Ok(Some(format!("customer {id} is not as it was loaded")));
            }
            let left = session.select(SAMPLE_ORDERS, &[id, generator.orders()])?;
            // The oldest go first.
            let deleted = u64::from(ORDERS_PER_CUSTOMER).saturating_sub(left.count);
            let mut expected = Checksum::default();
            for id in generator
                .orders_of(id)
                .skip(usize::try_from(deleted).unwrap_or_default())
            {
                generator.order(id, &mut order);
                expected.row(&order.values());
            }
            if left.checksum != expected {
                return Ok(Some(format!(
                    "the orders of customer {id} are not as they were loaded"
                )));
            }
        }
        Ok(None)
    }
}
