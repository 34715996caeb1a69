"""A GitHub on your own machine: REST, GraphQL, git, webhooks, pages and Actions, in memory and bare repositories.

For tests and for the demo. It knows GitHub's rules and nothing of environments, the funnel or the bot.
"""
