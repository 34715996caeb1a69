"""Makes `jail_support` importable, and its fixtures known, whatever import mode the tests run in."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from jail_support import (
    backend_name,
    bare,
    jail,
    new_jail,
    ordinary_bwrap,
    run,
    shared_jail,
)

__all__ = ["backend_name", "bare", "jail", "new_jail", "ordinary_bwrap", "run", "shared_jail"]
