"""Makes Superset's databases: its own, with users, a dashboard and four charts, and one with sales.

Superset's own interpreter runs it: it knows nothing of iGen. Arguments: the configuration, the folder of the
data while they are made, how many users, how many sales. All follows from these, but for the secret key.
"""

import json
import os
import random
import secrets
import sqlite3
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

PASSWORD = "shop-floor"
READERS, DATASET, DASHBOARD = "Sales", "sales", "Sales"
COLUMNS = {
    "day": "DATE",
    "region": "TEXT",
    "product": "TEXT",
    "units": "INTEGER",
    "price": "REAL",
}
FIRST_DAY, DAYS = date(2024, 1, 1), 730
REGIONS = ("Centre", "East", "North", "South", "West")
WOODS = ("Alder", "Ash", "Beech", "Birch", "Cedar", "Elm", "Hazel", "Larch", "Maple", "Oak", "Pine", "Willow")
GOODS = ("Bench", "Chair", "Desk", "Shelf", "Stool", "Table")
TURNOVER = {
    "expressionType": "SQL",
    "sqlExpression": "SUM(units * price)",
    "label": "Turnover",
    "optionName": "metric_turnover",
}
CHARTS: dict[str, tuple[str, dict[str, Any]]] = {
    "Turnover": ("big_number_total", {"metric": TURNOVER, "subheader": "of two years"}),
    "Turnover by month": (
        "echarts_timeseries_line",
        {"x_axis": "day", "time_grain_sqla": "P1M", "metrics": [TURNOVER], "groupby": ["region"]},
    ),
    "Turnover by region": ("pie", {"metric": TURNOVER, "groupby": ["region"], "row_limit": 100}),
    "Best products": (
        "table",
        {
            "query_mode": "aggregate",
            "groupby": ["product"],
            "metrics": [TURNOVER],
            "order_desc": True,
            "row_limit": 20,
        },
    ),
}
"""By name: the kind of chart, and what its form says."""
RIGHTS = (
    ("can_read", "Dashboard"),
    ("can_dashboard", "Superset"),
    ("can_write", "DashboardFilterStateRestApi"),
    ("can_read", "Chart"),
    ("can_read", "Explore"),
    ("can_read", "Database"),
    ("can_get_drill_info", "Dataset"),
)
"""What users may do, by the names of Superset: read, and have the filters of a dashboard kept for them."""


def sales(count: int) -> Iterator[tuple[str, str, str, int, float]]:
    """Rows in the order of `COLUMNS`, the same for the same number."""
    chance = random.Random(1)
    for number in range(count):
        yield (
            (FIRST_DAY + timedelta(days=number * DAYS // count)).isoformat(),
            chance.choice(REGIONS),
            f"{chance.choice(WOODS)} {chance.choice(GOODS)}",
            chance.randint(1, 20),
            round(chance.uniform(5, 500), 2),
        )


def address(file: Path, **options: str) -> str:
    """A database for SQLAlchemy, by an address of SQLite's own, which bears any name of a folder."""
    return f"sqlite:///file:{quote(str(file))}?{urlencode({**options, 'uri': 'true'})}"


def make_sales(file: Path, count: int) -> None:
    """The database that the charts ask."""
    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    with sqlite3.connect(file) as database:
        database.execute(f"CREATE TABLE {DATASET} ({columns})")
        marks = ", ".join("?" * len(COLUMNS))
        database.executemany(f"INSERT INTO {DATASET} VALUES ({marks})", sales(count))


def make(configuration: str, folder: Path, users: int, count: int) -> None:
    """Both databases."""
    key = folder / "secret_key"
    key.touch(mode=0o600)
    key.write_text(secrets.token_urlsafe(48), encoding="ascii")
    make_sales(folder / "sales.db", count)
    os.environ |= {"SUPERSET_CONFIG_PATH": configuration, "SUPERSET_HOME": str(folder)}
    (folder / "superset.db").touch(mode=0o600)
    import sqlalchemy
    from superset.app import create_app

    def without_waiting(connection: Any, _record: Any) -> None:
        """There is nothing to lose yet."""
        connection.execute("PRAGMA synchronous = OFF")

    sqlalchemy.event.listen(sqlalchemy.engine.Engine, "connect", without_waiting)
    with create_app().app_context():
        from flask_migrate import upgrade
        from superset.extensions import appbuilder, db, security_manager

        upgrade()
        appbuilder.add_permissions(update_perms=True)
        security_manager.sync_role_definitions()
        # The folder has its own name when all is made.
        fill(db.session, folder.with_name("data") / "sales.db")
        make_users(db.session, security_manager, users)
        db.session.commit()
    with sqlite3.connect(folder / "superset.db") as database:
        # Workers write what their users do: nobody who reads waits for them.
        database.execute("PRAGMA journal_mode = WAL")


def fill(session: Any, file: Path) -> None:
    """The dataset, its charts and their dashboard."""
    from superset.connectors.sqla.models import SqlaTable, TableColumn
    from superset.models.core import Database
    from superset.models.dashboard import Dashboard
    from superset.models.slice import Slice

    database = Database(database_name=DATASET, sqlalchemy_uri=address(file, mode="ro"))
    dataset = SqlaTable(
        table_name=DATASET,
        schema="main",
        database=database,
        main_dttm_col="day",
        columns=[
            TableColumn(column_name=name, type=kind, is_dttm=kind == "DATE", groupby=True, filterable=True)
            for name, kind in COLUMNS.items()
        ],
    )
    session.add_all([database, dataset])
    session.flush()
    charts = [
        Slice(
            slice_name=name,
            viz_type=kind,
            datasource_type="table",
            datasource_id=dataset.id,
            datasource_name=DATASET,
            params=json.dumps({"viz_type": kind, "datasource": f"{dataset.id}__table", **form}),
        )
        for name, (kind, form) in CHARTS.items()
    ]
    session.add_all(charts)
    session.flush()
    session.add(
        Dashboard(
            dashboard_title=DASHBOARD,
            published=True,
            slices=charts,
            position_json=json.dumps(layout({chart.id: chart.slice_name for chart in charts})),
        )
    )
    session.flush()


def layout(charts: dict[int, str]) -> dict[str, Any]:
    """Where the charts stand: two in a row."""
    rows = [list(charts)[first : first + 2] for first in range(0, len(charts), 2)]
    grid = [f"ROW-{number}" for number, _ in enumerate(rows)]
    places: dict[str, Any] = {
        "DASHBOARD_VERSION_KEY": "v2",
        "ROOT_ID": {"type": "ROOT", "id": "ROOT_ID", "children": ["GRID_ID"]},
        "GRID_ID": {"type": "GRID", "id": "GRID_ID", "children": grid, "parents": ["ROOT_ID"]},
        "HEADER_ID": {"type": "HEADER", "id": "HEADER_ID", "meta": {"text": DASHBOARD}},
    }
    for row, members in zip(grid, rows, strict=True):
        places[row] = {
            "type": "ROW",
            "id": row,
            "children": [f"CHART-{number}" for number in members],
            "parents": ["ROOT_ID", "GRID_ID"],
            "meta": {"background": "BACKGROUND_TRANSPARENT"},
        }
        for number in members:
            places[f"CHART-{number}"] = {
                "type": "CHART",
                "id": f"CHART-{number}",
                "children": [],
                "parents": ["ROOT_ID", "GRID_ID", row],
                "meta": {"chartId": number, "sliceName": charts[number], "width": 6, "height": 50},
            }
    return places


def make_users(session: Any, manager: Any, count: int) -> None:
    """Users who may read the dashboard: none can change what others are shown, or how they sign in."""
    from superset.connectors.sqla.models import SqlaTable
    from werkzeug.security import generate_password_hash

    dataset = session.query(SqlaTable).one()
    readers = manager.add_role(READERS)
    rights = [*RIGHTS, ("datasource_access", dataset.perm)]
    # A right that a release names otherwise is None, which is refused.
    readers.permissions = [manager.find_permission_view_menu(*right) for right in rights]
    # One hash for all of them: each takes a tenth of a second.
    known = generate_password_hash(PASSWORD)
    session.add_all(
        manager.user_model(
            username=f"user{number}",
            first_name="User",
            last_name=str(number),
            email=f"user{number}@example.com",
            active=True,
            password=known,
            roles=[readers],
        )
        for number in range(count)
    )


if __name__ == "__main__":
    make(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
