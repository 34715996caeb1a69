"""What people see: checks, reviews, comments. Each is written once, edited in place, and found again by its id."""
