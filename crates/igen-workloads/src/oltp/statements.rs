//! The statements of the transaction, written once for all databases: placeholders are `?`, in
//! order, all parameters are integers, and none depends on another statement's result.

/// Named steps of the transaction; a statement has the index of its operation.
pub(super) const OPERATIONS: &[&str] = &[
    "select_customer",
    "select_orders",
    "select_last_order",
    "select_other",
    "insert_order",
    "delete_order",
    "commit",
];

pub(super) const SELECT_CUSTOMER: usize = 0;
pub(super) const SELECT_ORDERS: usize = 1;
pub(super) const SELECT_LAST_ORDER: usize = 2;
pub(super) const SELECT_OTHER: usize = 3;
pub(super) const INSERT_ORDER: usize = 4;
pub(super) const DELETE_ORDER: usize = 5;
pub(super) const COMMIT: usize = 6;

/// The six statements of the transaction.
pub(super) const STATEMENTS: &[&str] = &[
    "SELECT c_name, c_address, c_city, c_phone, c_credit, c_balance, c_since \
     FROM customers WHERE c_id = ?",
    "SELECT o_id, o_date, o_status, o_qty, o_amount FROM orders WHERE o_c_id = ?",
    "SELECT o_id, o_date, o_status, o_qty, o_amount, o_item, o_comment \
     FROM orders WHERE o_c_id = ? ORDER BY o_id DESC LIMIT 1",
    "SELECT c_name, c_city, c_phone FROM customers WHERE c_id = ?",
    // Item and comment are as long as the average of the loaded ones.
    "INSERT INTO orders (o_c_id, o_date, o_status, o_qty, o_amount, o_item, o_comment) \
     VALUES (?, CURRENT_TIMESTAMP, 'N', ?, ?, 'ordered by hand', \
     'the customer collects it here next week')",
    "DELETE FROM orders WHERE o_id = (SELECT MIN(o_id) FROM orders WHERE o_c_id = ?)",
];
