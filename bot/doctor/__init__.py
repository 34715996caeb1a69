"""Whether a repository is set up so that merging in it is safe. `examine` is pure; `read_facts` asks GitHub.

Facts that could not be read are problems like others: what nobody could check is not safe. Each problem says what is
unsafe and how it is mended, and whether it forbids merging or is advice.
"""

from bot.doctor.examine import examine, forbidding
from bot.doctor.facts import Facts, Problem, Severity, Unread
from bot.doctor.reading import read_facts

__all__ = ["Facts", "Problem", "Severity", "Unread", "examine", "forbidding", "read_facts"]
