"""THE list of kinds of servers that iGen can start."""

from __future__ import annotations

from igen.errors import InputError
from igen.instances.mariadb import Mariadb
from igen.instances.openldap import Openldap
from igen.instances.openldap_proxy import OpenldapProxy
from igen.instances.postgresql import Postgresql
from igen.instances.product import Product
from igen.instances.shop import Shop
from igen.instances.superset import Superset
from igen.instances.tryton import Tryton
from igen.nearest import suggestion

PRODUCTS: dict[str, Product] = {
    product.name: product
    for product in (Postgresql(), Mariadb(), Openldap(), OpenldapProxy(), Shop(), Tryton(), Superset())
}


def product_of(name: str) -> Product:
    """Return the kind of this name. Raises `InputError`."""
    try:
        return PRODUCTS[name]
    except KeyError:
        raise InputError(f"unknown kind of server `{name}`", hint=suggestion(name, PRODUCTS)) from None
