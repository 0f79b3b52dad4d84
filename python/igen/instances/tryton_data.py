"""Makes Tryton's database with users and parties. Tryton's own interpreter runs it: it knows nothing of iGen.

Arguments: the configuration, the data folder, how many users, how many parties. All that is in it follows
from these, but for the administrator's password, which nobody is told.
"""

import os
import random
import secrets
import sys
import tempfile
from pathlib import Path
from typing import Any

DATABASE = "tryton"
PASSWORD = "shop-floor"
WOODS = ("Alder", "Ash", "Beech", "Birch", "Cedar", "Elm", "Hazel", "Larch", "Maple", "Oak", "Pine", "Willow")
TRADES = ("Bakery", "Forge", "Joinery", "Mill", "Press", "Stores", "Tannery", "Works")


def make(configuration: str, users: int, parties: int) -> None:
    """Tables, modules and content."""
    import trytond.config as config

    config.update_etc(configuration)
    from trytond import admin
    from trytond.commandline import get_parser_admin
    from trytond.pool import Pool
    from trytond.transaction import Transaction

    (Path(config.get("database", "path")) / f"{DATABASE}.sqlite").touch(mode=0o600)
    with tempfile.NamedTemporaryFile("w", dir=config.get("database", "path")) as password:
        password.write(secrets.token_urlsafe(24))
        password.flush()
        os.environ["TRYTONPASSFILE"] = password.name
        words = ["-d", DATABASE, "-u", "party", "--activate-dependencies", "--email", "admin@example.com"]
        admin.run(get_parser_admin().parse_args(words))
    with Transaction().start(DATABASE, 1, context={"language": "en"}):
        pool = Pool()
        for item in pool.get("ir.module.config_wizard.item").search([("state", "=", "open")]):
            item.state = "done"
            item.save()
        fill(pool, users, parties)


def fill(pool: Any, users: int, parties: int) -> None:
    """Parties, and users in no group."""
    chance = random.Random(1)
    pool.get("party.party").create(
        [
            {"name": f"{chance.choice(WOODS)} & {chance.choice(WOODS)} {chance.choice(TRADES)} {number}"}
            for number in range(1, parties + 1)
        ]
    )
    user = pool.get("res.user")
    # One hash for all of them: each takes a quarter of a second.
    known = user.hash_password(PASSWORD)
    # In no group: all may work with parties, and anybody who signs in as an administrator may have code run.
    user.create(
        [
            {"login": f"user{number}", "name": f"User {number}", "password_hash": known}
            for number in range(users)
        ]
    )


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[3]), int(sys.argv[4]))
