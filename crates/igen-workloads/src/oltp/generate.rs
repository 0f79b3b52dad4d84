//! The rows that the loader writes: a pure function of seed and key, so that any row can be checked
//! at any time and loading needs no memory.

use igen_sql::content::RowSource;
use igen_sql::value::Value;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

use crate::random::{below, pick};
use crate::words::{CITIES, COMMENT_WORDS, FIRST_NAMES, ITEM_KINDS, ITEMS, LAST_NAMES, STREETS};

/// Orders of each customer.
pub(super) const ORDERS_PER_CUSTOMER: u32 = 10;
/// 2005-01-01: the loaded orders follow, and end before any that a transaction inserts.
const FIRST_ORDER_UNIX_S: i64 = 1_104_537_600;
/// Time in which each customer places one order.
const ORDER_ROUND_S: i64 = 36 * 86_400;
/// Longest comment, by the schema.
const COMMENT_MOST: usize = 60;
/// Customers came in the twenty years before the first order.
const CUSTOMER_SINCE_S: i64 = 20 * 365 * 86_400;

/// Makes the rows of one shard.
#[derive(Debug, Clone, Copy)]
pub(super) struct Generator {
    seed: u64,
    customers: i64,
    /// Customers of the shards before this one.
    before: i64,
}

/// A row of `customers`, its buffers used again for the next.
#[derive(Debug, Default)]
pub(super) struct Customer {
    id: i64,
    name: String,
    address: String,
    city: &'static str,
    phone: String,
    credit: i64,
    balance: i64,
    since_unix_s: i64,
}

/// A row of `orders`, its buffers used again for the next.
#[derive(Debug, Default)]
pub(super) struct Order {
    id: i64,
    customer: i64,
    date_unix_s: i64,
    quantity: i64,
    amount: i64,
    item: String,
    comment: String,
}

impl Generator {
    /// The rows of the shard of number `shard`, counted from 0.
    pub(super) fn new(seed: u64, customers: u32, shard: usize) -> Self {
        let customers = i64::from(customers);
        Self {
            seed,
            customers,
            before: customers * i64::try_from(shard).unwrap_or(i64::MAX),
        }
    }

    pub(super) fn seed(self) -> u64 {
        self.seed
    }

    /// Number of customers.
    pub(super) fn customers(self) -> i64 {
        self.customers
    }

    /// Key of the first customer; the others follow.
    pub(super) fn first_customer(self) -> i64 {
        self.before + 1
    }

    /// Key of the last customer.
    pub(super) fn last_customer(self) -> i64 {
        self.before + self.customers
    }

    /// Loaded orders have the keys 1 to this.
    pub(super) fn orders(self) -> i64 {
        self.customers * i64::from(ORDERS_PER_CUSTOMER)
    }

    /// Keys of the loaded orders of `customer`, oldest first. Customers order in rounds, so that
    /// a customer's orders lie apart from the first transaction on, as they do after many.
    pub(super) fn orders_of(self, customer: i64) -> impl DoubleEndedIterator<Item = i64> {
        let place = customer - self.before;
        (0..i64::from(ORDERS_PER_CUSTOMER)).map(move |round| round * self.customers + place)
    }

    /// Makes the customer with key `id`.
    pub(super) fn customer(self, id: i64, row: &mut Customer) {
        let mut random = self.random(1, id);
        row.id = id;
        fill(
            &mut row.name,
            &[
                pick(&mut random, FIRST_NAMES),
                " ",
                pick(&mut random, LAST_NAMES),
            ],
        );
        row.address.clear();
        push_number(&mut row.address, 1 + number(&mut random, 9_999), 0);
        row.address.extend([" ", pick(&mut random, STREETS)]);
        row.city = pick(&mut random, CITIES);
        fill(&mut row.phone, &["+"]);
        push_number(&mut row.phone, 10 + number(&mut random, 90), 2);
        row.phone.push('-');
        push_number(&mut row.phone, number(&mut random, 1_000), 3);
        row.phone.push('-');
        push_number(&mut row.phone, number(&mut random, 100_000_000), 8);
        row.credit = 1_000 * (1 + number(&mut random, 50));
        row.balance = number(&mut random, 20_000) - 5_000;
        row.since_unix_s = FIRST_ORDER_UNIX_S - 1 - number(&mut random, CUSTOMER_SINCE_S);
    }

    /// Makes the order with key `id`.
    pub(super) fn order(self, id: i64, row: &mut Order) {
        let mut random = self.random(2, id + self.before * i64::from(ORDERS_PER_CUSTOMER));
        row.id = id;
        row.customer = self.before + (id - 1) % self.customers + 1;
        let round = (id - 1) / self.customers;
        row.date_unix_s =
            FIRST_ORDER_UNIX_S + round * ORDER_ROUND_S + number(&mut random, ORDER_ROUND_S);
        row.quantity = quantity(&mut random);
        row.amount = amount(&mut random, row.quantity);
        fill(
            &mut row.item,
            &[pick(&mut random, ITEM_KINDS), " ", pick(&mut random, ITEMS)],
        );
        fill(&mut row.comment, &[pick(&mut random, COMMENT_WORDS)]);
        for _ in 0..5 + number(&mut random, 3) {
            let word = pick(&mut random, COMMENT_WORDS);
            // Eight long words in a row are a little too many.
            if row.comment.len() + 1 + word.len() <= COMMENT_MOST {
                row.comment.extend([" ", word]);
            }
        }
    }

    /// Random numbers of one row.
    fn random(self, table: u64, id: i64) -> SplitMix64 {
        let row = id.cast_unsigned().wrapping_mul(0xD6E8_FEB8_6659_FD93);
        // One step spreads neighbouring rows over the whole period.
        let start = SplitMix64::seed_from_u64(self.seed ^ table.rotate_right(8) ^ row).next_u64();
        SplitMix64::seed_from_u64(start)
    }
}

/// Rows of `customers` for the loader.
pub(super) struct CustomerSource {
    generator: Generator,
    row: Customer,
}

impl CustomerSource {
    pub(super) fn new(generator: Generator) -> Self {
        Self {
            generator,
            row: Customer::default(),
        }
    }
}

impl RowSource for CustomerSource {
    fn row(&mut self, index: u64, write: &mut dyn FnMut(&[Value<'_>])) {
        let id = self.generator.first_customer() + index.cast_signed();
        self.generator.customer(id, &mut self.row);
        write(&self.row.values());
    }
}

/// Rows of `orders` for the loader.
pub(super) struct OrderSource {
    generator: Generator,
    row: Order,
}

impl OrderSource {
    pub(super) fn new(generator: Generator) -> Self {
        Self {
            generator,
            row: Order::default(),
        }
    }
}

impl RowSource for OrderSource {
    fn row(&mut self, index: u64, write: &mut dyn FnMut(&[Value<'_>])) {
        self.generator.order(index.cast_signed() + 1, &mut self.row);
        write(&self.row.values());
    }
}

/// Quantity of an order, loaded or inserted.
pub(super) fn quantity(random: &mut impl Rng) -> i64 {
    1 + number(random, 9)
}

/// Amount of an order of `quantity`, loaded or inserted.
pub(super) fn amount(random: &mut impl Rng, quantity: i64) -> i64 {
    quantity * (1 + number(random, 200))
}

impl Customer {
    /// In the order of the columns.
    pub(super) fn values(&self) -> [Value<'_>; 8] {
        [
            Value::Integer(self.id),
            Value::Text(&self.name),
            Value::Text(&self.address),
            Value::Text(self.city),
            Value::Text(&self.phone),
            Value::Integer(self.credit),
            Value::Integer(self.balance),
            Value::Timestamp(self.since_unix_s),
        ]
    }
}

impl Order {
    /// In the order of the columns.
    pub(super) fn values(&self) -> [Value<'_>; 8] {
        [
            Value::Integer(self.id),
            Value::Integer(self.customer),
            Value::Timestamp(self.date_unix_s),
            Value::Text("S"),
            Value::Integer(self.quantity),
            Value::Integer(self.amount),
            Value::Text(&self.item),
            Value::Text(&self.comment),
        ]
    }
}

fn number(random: &mut impl Rng, bound: i64) -> i64 {
    below(random, bound.cast_unsigned()).cast_signed()
}

fn fill(text: &mut String, parts: &[&str]) {
    text.clear();
    text.extend(parts.iter().copied());
}

/// Appends `number`, with at least `width` digits. (Formatting would take most of the load.)
fn push_number(text: &mut String, number: i64, width: u32) {
    let mut divisor = 10_i64.pow(width.max(1) - 1);
    while number / divisor >= 10 {
        divisor *= 10;
    }
    while divisor > 0 {
        let digit = u8::try_from(number / divisor % 10).unwrap_or_default();
        text.push(char::from(b'0' + digit));
        divisor /= 10;
    }
}

#[cfg(test)]
mod tests {
    use igen_sql::value::Checksum;

    use super::*;

    const GENERATOR: Generator = Generator {
        seed: 42,
        before: 0,
        customers: 1_000,
    };

    fn text<'a>(value: &Value<'a>) -> &'a str {
        match value {
            Value::Text(text) => text,
            other => panic!("{other:?} is not a text"),
        }
    }

    #[test]
    fn rows_are_the_same_for_ever() {
        let (mut customer, mut order) = (Customer::default(), Order::default());
        let mut checksum = Checksum::default();
        for id in 1..=GENERATOR.orders() {
            if id <= GENERATOR.customers() {
                GENERATOR.customer(id, &mut customer);
                checksum.row(&customer.values());
            }
            GENERATOR.order(id, &mut order);
            checksum.row(&order.values());
        }
        GENERATOR.customer(1, &mut customer);
        GENERATOR.order(1_001, &mut order);
        assert_eq!(
            format!(
                "{:?}\n{:?}\n{checksum:?}",
                customer.values(),
                order.values()
            ),
            "[Integer(1), Text(\"Thomas Campbell\"), Text(\"950 Old Mill Lane\"), Text(\"Los Angeles\"), Text(\"+92-688-31370750\"), Integer(48000), Integer(8454), Timestamp(621867595)]\n[Integer(1001), Integer(1), Timestamp(1109464935), Text(\"S\"), Integer(7), Integer(399), Text(\"oak pulley\"), Text(\"box box early door after express ring\")]\nChecksum(11632703294928416958)",
        );
    }

    #[test]
    fn texts_fit_their_columns_and_inserted_orders_are_like_loaded_ones() {
        let (mut customer, mut order) = (Customer::default(), Order::default());
        let (mut items, mut comments) = (0, 0);
        for id in 1..=100_000 {
            GENERATOR.customer(id, &mut customer);
            let values = customer.values();
            for (column, most) in [(1, 40), (2, 60), (3, 30)] {
                assert!(
                    (1..=most).contains(&text(&values[column]).len()),
                    "{values:?}"
                );
            }
            assert_eq!(text(&values[4]).len(), 16, "{values:?}");
            GENERATOR.order(id, &mut order);
            let values = order.values();
            for (column, most, sum) in [(6, 30, &mut items), (7, 60, &mut comments)] {
                assert!(
                    (1..=most).contains(&text(&values[column]).len()),
                    "{values:?}"
                );
                *sum += text(&values[column]).len();
            }
        }
        let insert = super::super::statements::STATEMENTS[super::super::statements::INSERT_ORDER];
        let literals: Vec<usize> = insert
            .split('\'')
            .skip(1)
            .step_by(2)
            .map(str::len)
            .collect();
        let mean = |sum: usize| (sum as f64 / 100_000.0).round();
        assert_eq!(literals.len(), 3, "status, item, comment");
        assert!(
            (literals[1] as f64 - mean(items)).abs() <= 1.0,
            "item: {}",
            mean(items)
        );
        assert!(
            (literals[2] as f64 - mean(comments)).abs() <= 1.0,
            "comment: {}",
            mean(comments)
        );
    }

    #[test]
    fn every_customer_has_ten_orders_in_the_order_of_their_dates() {
        let mut order = Order::default();
        for customer in [1, 2, 500, 999, 1_000] {
            let mut last = i64::MIN;
            for id in GENERATOR.orders_of(customer) {
                GENERATOR.order(id, &mut order);
                assert_eq!(order.customer, customer);
                assert!(order.date_unix_s > last);
                last = order.date_unix_s;
            }
            assert_eq!(GENERATOR.orders_of(customer).count(), 10);
        }
    }

    #[test]
    fn seeds_and_tables_do_not_repeat_each_other() {
        let other = Generator {
            seed: 43,
            ..GENERATOR
        };
        let (mut one, mut two) = (Customer::default(), Customer::default());
        let mut same = 0;
        for id in 1..=1_000 {
            GENERATOR.customer(id, &mut one);
            other.customer(id, &mut two);
            same += u32::from(one.phone == two.phone);
        }
        assert_eq!(same, 0);
    }

    #[test]
    fn numbers_are_written_in_full_width() {
        for (number, width, expected) in [
            (0, 0, "0"),
            (7, 2, "07"),
            (9_999, 0, "9999"),
            (10, 2, "10"),
            (5, 8, "00000005"),
        ] {
            let mut text = String::new();
            push_number(&mut text, number, width);
            assert_eq!(text, expected);
        }
    }
}
