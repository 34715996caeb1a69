"""Every sentence that the bot shows to anybody, and nothing else: no decision is made here.

All texts are Markdown in which strangers' words stand in code spans and fenced blocks only (`bot.escape`). Logins do
too: the bot never pings anybody. `gate` and `tiers` have the words of a decision, `checks` what a check shows,
`reviews` what is said beside the code, `replies` the answers to commands, `trouble` why a report was not accepted.
"""

from bot.text.checks import CheckOutput, check_output
from bot.text.merges import merge_message, merge_title
from bot.text.replies import explain, note_no_environment

__all__ = ["CheckOutput", "check_output", "explain", "merge_message", "merge_title", "note_no_environment"]
