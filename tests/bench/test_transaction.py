from __future__ import annotations

import re

import pytest

from bench import bank, oltp, pgbench, sysbench_sql
from bench.transaction import Transaction, statements, uniform

SOURCE = """
/// The statements.
pub(super) const STATEMENTS: &[&str] = &[
    "SELECT name \\
     FROM shops WHERE id = ?",
    // "Not this one", says the comment.
    "INSERT INTO sales VALUES (?, 'new', ?)",
];

const OTHER: &[&str] = &["DROP TABLE shops"];
"""


def test_statements_are_read_as_the_compiler_reads_them() -> None:
    assert statements(SOURCE) == [
        "SELECT name FROM shops WHERE id = ?",
        "INSERT INTO sales VALUES (?, 'new', ?)",
    ]
    with pytest.raises(RuntimeError, match="no constant STATEMENTS"):
        statements("fn main() {}")


@pytest.mark.parametrize("transaction", [oltp.TRANSACTION, bank.TRANSACTION])
def test_peers_run_the_statements_of_the_workload(transaction: Transaction) -> None:
    expected = [statement for statement, _ in transaction.steps()]
    begin, *filled, commit = pgbench.script(transaction).splitlines()[len(transaction.variables) :]
    assert (begin, commit) == ("BEGIN;", "COMMIT;")
    assert [re.sub(r":[a-z]+", "?", line).removesuffix(";") for line in filled] == expected
    prepared = re.findall(r'con:prepare\("(.*)"\)', sysbench_sql.script(transaction))
    assert prepared == ["BEGIN", "COMMIT", *expected]


def test_a_list_that_does_not_fit_the_statements_is_refused() -> None:
    shorter = Transaction("oltp", oltp.TRANSACTION.variables, oltp.TRANSACTION.parameters[:-1])
    with pytest.raises(RuntimeError, match="DELETE FROM orders"):
        shorter.steps()


def test_pgbench_draws_and_then_runs_one_transaction() -> None:
    lines = pgbench.script(oltp.TRANSACTION).splitlines()
    assert lines[0] == "\\set customer random(1, 100000)"
    assert lines[4] == "BEGIN;"
    assert lines[5].endswith("FROM customers WHERE c_id = :customer;")
    assert "VALUES (:customer, CURRENT_TIMESTAMP, 'N', :quantity, :amount," in lines[9]
    assert lines[-1] == "COMMIT;"
    assert len(lines) == 4 + 8


def test_sysbench_prepares_once_and_executes_in_order() -> None:
    prepare, _, run = sysbench_sql.script(oltp.TRANSACTION).partition("function event()")
    assert prepare.count("con:prepare(") == 8
    executed = [line for line in run.splitlines() if line.endswith(":execute()")]
    numbered = [f"statement_{number}:execute()" for number in range(1, 7)]
    assert executed == ["begin:execute()", *numbered, "commit:execute()"]
    assert "statement_5_2:set(quantity)" in run


def test_a_variable_is_drawn_in_both_languages() -> None:
    drawn = uniform(-5, 10)
    assert (drawn.pgbench, drawn.lua) == ("random(-5, 10)", "sysbench.rand.uniform(0, 15) + -5")


def test_the_peers_of_bank_write_the_history_that_it_checks() -> None:
    script = pgbench.script(bank.TRANSACTION)
    values = ":account, :teller, :branch, :amount, CURRENT_TIMESTAMP, :run, :session, :number,"
    assert f"VALUES ({values} '" in script
    assert "\\set amount random(-999999, 999999)" in script
    assert "statement_5_7:set(number)" in sysbench_sql.script(bank.TRANSACTION)
