"""Walks, and says what was done and what was asked of a network, as JSON; what is exported stays in the folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.offline.hook import watch

if __name__ == "__main__":
    asked = watch()
    from tests.offline.walk import walk  # now: what is imported is watched, too

    done = list(walk(Path(sys.argv[1])))
    print(json.dumps({"done": done, "asked": asked}))
