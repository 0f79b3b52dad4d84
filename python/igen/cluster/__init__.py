"""A Ray cluster of this user's own: its head on this machine, and what other machines need to join it.

- `home`: the folder with its record and its secrets, and the variables by which Ray finds those
- `credentials`: the token, the certificate, and the scripts that go to the other machines
- `head`: starts Ray's head and ends it

Ray itself is only started here, as a program; what speaks with it is `igen.fleet.ray`.
"""
