"""Parts of a laboratory for machines that have none: RAID arrays of one's own, btrfs on loop devices over
sparse files, each with a cap on its I/Os.
"""
