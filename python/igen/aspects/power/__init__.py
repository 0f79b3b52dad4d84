"""What the host drew, and what a system does for its watts and in the place of disks."""
