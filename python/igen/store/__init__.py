"""The store: run folders with append-only event files, and a catalog that can be rebuilt from them.

- `files`: the one way to all files of a store: regular files, never through a link
- `job_file`: writes and reads one executed job, whatever byte it was cut off at
- `run`: one run folder
- `active`: which runs are going on at this moment
- `intervals`: a job's intervals as Parquet
- `catalog`: one row a run, in SQLite
- `access`: what the file system refuses, as the project's errors
- `store`: the folder of all runs; creates them and finds them by what a user calls them
"""
