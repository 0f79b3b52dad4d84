//! Wire protocols and database engines: one driver is one file or folder.
