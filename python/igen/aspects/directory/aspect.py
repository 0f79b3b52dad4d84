"""Directories as an aspect."""

from __future__ import annotations

from igen.aspects.directory.observe import directory_observations
from igen.aspects.directory.operations import directory_of, miscounted
from igen.aspects.directory.parts import Directory
from igen.aspects.directory.tables import ldap_table
from igen.judge.aspect import Aspect

DIRECTORY = Aspect(
    name="directory",
    level_part=Directory,
    measure=directory_of,
    check=miscounted,
    observe=directory_observations,
    tables=(("LDAP operations", ldap_table),),
    # Benchmarketing: a search that returns one attribute is less work than one that returns all of an entry.
)
