"""Database servers as they see themselves: commits, caches, what sessions wait for."""
