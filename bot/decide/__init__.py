"""What is to be done about a pull request. Pure: the same state gives the same decision, and says why.

A merge needs that nothing at all stands against it, so every rule here adds a blocker and none takes one away. What
could not be found out is a blocker too. `tiers` says what is tested, `approval` who agrees, `gate` puts them together.
"""

from bot.decide.gate import decide
from bot.decide.touched import Touched, touched

__all__ = ["Touched", "decide", "touched"]
