"""The funnel as a library and a command line: it knows environments, verifiers and how to try them.

It must not know about GitHub, pull requests or money: the bot imports this package, never the reverse.
"""

__version__ = "0.1.0"
