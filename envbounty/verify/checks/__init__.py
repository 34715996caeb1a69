"""The checks of Tier 1, one idea a module. Each is `run(context) -> findings`; the order is their dependence.

A check may ask the bench for facts and must judge them; it must not know about jails, files or how a report looks.
"""
