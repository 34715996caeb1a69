"""What the bot remembers: SQLite in one file by default, PostgreSQL by one address. It knows rows, not GitHub."""
