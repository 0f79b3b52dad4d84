//! Checks before and after the load that the database is the one it should be.

use igen_engine::Failure;
use igen_job::JobError;
use igen_sql::session::Session;
use igen_sql::value::Checksum;

use super::generate::{Customer, ORDERS_PER_CUSTOMER, Order};
use super::shard::Shard;

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

impl Shard {
    /// Checks counts and a sample; each of `users` users may leave one order too many.
    pub(super) async fn verify_rows(&self, users: u32) -> Result<(), JobError> {
        let session = self.place.database.long_session(SAMPLE_STATEMENTS).await;
        let mut session = session.map_err(|failure| self.place.unchecked(&failure))?;
        let wrong = match self.wrong_counts(&mut session, users).await {
            Ok(None) => self.wrong_sample(session).await,
            other => other,
        };
        match wrong.map_err(|failure| self.place.unchecked(&failure))? {
            Some(text) => Err(self.place.wrong(&text)),
            None => Ok(()),
        }
    }

    async fn wrong_counts(
        &self,
        session: &mut Session,
        users: u32,
    ) -> Result<Option<String>, Failure> {
        let generator = self.generator;
        let (first_id, last_id) = (generator.first_customer(), generator.last_customer());
        let customers = generator.customers();
        let found = session.integers(COUNT_CUSTOMERS).await?;
        if found.as_deref() != Some(&[customers, first_id, last_id]) {
            return Ok(Some(format!(
                "some of the customers {first_id} to {last_id} are missing (count, first, last: {found:?})"
            )));
        }
        let least = i64::from(ORDERS_PER_CUSTOMER);
        let found = session.integers(COUNT_ORDERS).await?;
        let extra = i64::from(users).max(generator.orders() / ORDERS_PER_EXTRA_ORDER);
        let most = generator.orders() + extra;
        Ok(match found.as_deref() {
            Some(&[count, first, last, fewest, orders])
                if (count, first, last) == (customers, first_id, last_id)
                    && fewest >= least
                    && orders <= most =>
            {
                None
            }
            _ => Some(format!(
                "some customers do not have {least} orders (customers with orders, first, last, \
                 fewest orders of a customer, total orders: {found:?})"
            )),
        })
    }

    /// Compares customers from the whole table, and those of their loaded orders that no
    /// transaction has deleted, with the generator's rows.
    async fn wrong_sample(&self, mut session: Session) -> Result<Option<String>, Failure> {
        let generator = self.generator;
        let (mut customer, mut order) = (Customer::default(), Order::default());
        let sample = SAMPLE.min(generator.customers());
        for index in 0..sample {
            let id = generator.first_customer() + index * generator.customers() / sample;
            generator.customer(id, &mut customer);
            let mut expected = Checksum::default();
            expected.row(&customer.values());
            if session.select(SAMPLE_CUSTOMER, &[id]).await?.checksum != expected {
                return Ok(Some(format!(
                    "customer {id} has changed since it was loaded"
                )));
            }
            let left = session
                .select(SAMPLE_ORDERS, &[id, generator.orders()])
                .await?;
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
                    "the orders of customer {id} have changed since they were loaded"
                )));
            }
        }
        Ok(None)
    }
}
