"""`python -m igen.cli` is `igen`."""

from igen.cli import main

main()
