"""The version of this release: of igen, of the agent that it speaks to, of what it writes down."""

VERSION = "0.1.0"
