"""Talking to GitHub: one client that only reads and repeats itself, one that writes and never does. No decisions."""
