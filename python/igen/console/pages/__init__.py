"""Pages, one subject a file: each reads or changes by a function that the command line calls too."""
