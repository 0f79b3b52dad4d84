"""How levels and numbers are laid out, for all that make a table or a picture: reports and aspects alike."""
