"""The store in a browser: reads what the command line reads, and does what it does by the same functions.

- `app`: THE list of pages, and the application
- `guard`: what every request passes: host, session, origin, headers
- `keys`, `login`: who somebody is, and how one becomes that
- `pages`: one subject a file, each with its `ROUTES`
- `analyst`: results and their pages, in a process of its own that yields to measurements
- `serve`: the server, its address and its end

It keeps nothing of its own but a key: a second console on the same store is as good as the first.
"""
