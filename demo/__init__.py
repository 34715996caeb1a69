"""`make demo`: the whole story on one machine, from a bounty to the merges, with no account.

Starts `localhub`, the bot as a process of its own and the shipped workflows, and plays everybody who is human.
"""
