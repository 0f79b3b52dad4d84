"""The parameters of each workload, and which of them are dangerous.

A workload that is not named here is dangerous, and so is a parameter.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from igen.dangers.field import (
    ANYTHING,
    ONE_OR_MORE,
    PLAIN,
    THINK_TIME,
    Field,
    Kind,
    always,
    dangerous,
    harmless,
    leaf,
    listed,
    named,
    table,
    texts,
)

_SESSION_VARIABLES = Field(
    fields=texts(
        *("synchronous_commit", "commit_delay", "work_mem", "random_page_cost", "jit", "search_path"),
        *("max_parallel_workers_per_gather", "sql_mode", "transaction_isolation"),
        "default_transaction_isolation",
    ),
    # A server has hundreds of settings, of which some name files: `log_query_path` of DuckDB.
    others=dangerous("unknown"),
)
_DATABASE = {
    **texts("busy_timeout_s", "cache_bytes", "connect_timeout_s", "statement_timeout_s", "synchronous"),
    "session_variables": _SESSION_VARIABLES,
}
_DIRECTORY = {
    **texts(
        *("accessed_ratio", "connect_timeout_s", "entries", "hot_choices_fraction", "hot_entries_fraction"),
        *("login_attribute", "operation_timeout_s", "password_scheme", "people", "referrals"),
    ),
    # Names and passwords in that file are sent.
    "keys": dangerous("secret"),
}


def _danger_of_output(value: Any, _folder: Path) -> Kind | None:
    return None if value in ("pipe", "null", None) else "file"


def _danger_of_header(value: Any, _folder: Path) -> Kind | None:
    return "secret" if isinstance(value, str) and value.startswith("env:") else None


_HEADERS = named(leaf(_danger_of_header))
_EXPECT = table(
    status=ONE_OR_MORE, contains=ONE_OR_MORE, header=named(PLAIN), json=named(ANYTHING), max_bytes=PLAIN
)

_step_fields: dict[str, Field] = {"page": PLAIN, "loop": named(PLAIN)}
_STEPS = listed(Field(fields=_step_fields))
_step_fields |= {"steps": _STEPS, "choose": listed(table(weight=PLAIN, steps=_STEPS))}

_PAGE = table(
    name=PLAIN,
    think=THINK_TIME,
    resource=listed(table(get=PLAIN)),
    request=listed(
        table(
            **texts("name", "after", "get", "head", "post", "put", "patch", "delete", "body", "json"),
            **texts("redirects", "timeout"),
            form=named(PLAIN),
            headers=_HEADERS,
            expect=_EXPECT,
            extract=named(table(**texts("input", "json", "header", "cookie", "regex", "random"))),
        )
    ),
)
_SCENARIO = Field(
    # `@FILE` names a file, which is read before the study runs.
    value=always("file"),
    fields={
        "name": PLAIN,
        "browser": table(**texts("cache", "connections", "keep", "idle_close", "protocol")),
        # The file is not read: it names the table in messages.
        "data": named(table(**texts("file", "pick", "text"))),
        "secrets": named(dangerous("secret")),
        "defaults": table(
            headers=_HEADERS, expect=_EXPECT, compression=listed(PLAIN), **texts("redirects", "timeout")
        ),
        "once": listed(table(page=PLAIN)),
        "page": listed(_PAGE),
        "session": table(steps=_STEPS, on_failure=PLAIN),
    },
)
_WEB_SERVER = {
    "i_may_load": dangerous("permission"),
    **texts("protocol", "resumption"),
}

PARAMS: dict[str, Field] = {
    "noop": table(),
    "model": table(**texts("servers", "service", "service_time", "stall_every", "stall_time")),
    "cpu": table(variant=PLAIN),
    "ram": table(**texts("bytes_per_user", "lock", "pages", "random_lookups")),
    "mem": table(**texts("kernel", "lock", "memory_node", "node", "pages", "size_bytes", "stores", "width")),
    "io": table(
        **texts(
            *(
                "after",
                "block",
                "cache",
                "compressible",
                "depth",
                "direct",
                "engine",
                "fsync_every",
                "pattern",
            ),
            *("precondition", "read", "size_bytes", "verify", "zipf_theta"),
        ),
        ledger=dangerous("file"),
    ),
    "oltp": table(
        **_DATABASE,
        **texts(
            *(
                "conflict_backoff_s",
                "conflict_retries",
                "customers",
                "distribution",
                "hot_choices_fraction",
                "hot_customers_fraction",
                "mode",
            ),
            *("read_only", "zipf_theta"),
        ),
    ),
    "bank": table(**_DATABASE, **texts("branches", "conflict_backoff_s", "conflict_retries", "form")),
    "scan": table(
        **_DATABASE,
        **texts("cold", "predicate", "size_bytes", "table", "threads"),
        tables=listed(PLAIN),
    ),
    "ldap-search": table(**_DIRECTORY, attributes=ONE_OR_MORE),
    "ldap-siteminder": table(**_DIRECTORY, **texts("modify", "share_connections")),
    "ldap-bind": table(**_DIRECTORY),
    "ldap-modify": table(**_DIRECTORY),
    "ldap-mixed": table(
        **_DIRECTORY, attributes=ONE_OR_MORE, **texts("bind_weight", "modify_weight", "search_weight")
    ),
    "http": table(
        **_WEB_SERVER,
        **texts("body", "method", "path", "timeout_s"),
        headers=_HEADERS,
        expect=table(status=ONE_OR_MORE, **texts("contains", "max_bytes")),
        paths=Field(value=harmless, items=Field(value=harmless, fields=texts("path", "weight"))),
    ),
    "web": table(**_WEB_SERVER, scenario=_SCENARIO),
    "command": table(
        **dict.fromkeys(("run", "prepare"), dangerous("program")),
        **dict.fromkeys(("input", "working_directory"), dangerous("file")),
        output=leaf(_danger_of_output),
        **texts("shell", "timeout_s"),
    ),
}

STARTS_PROGRAMS = ("command",)
"""Workloads that are dangerous, whatever their parameters are."""
