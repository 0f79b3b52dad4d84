"""Side-by-side comparisons of iGen with its peers, and with its own goals."""
