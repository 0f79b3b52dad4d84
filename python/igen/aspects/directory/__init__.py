"""Directories: LDAP operations as published results count them, and as the directories counted them."""
