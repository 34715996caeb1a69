"""The GitHub App: receives reports on pull requests, decides, comments and merges.

It knows GitHub, and environments only through `envbounty`'s findings, reports and policy. It runs no contributor's
code.
"""
