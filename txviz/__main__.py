"""``python -m txviz`` is ``txviz``."""

import sys

from txviz.cli import main

sys.exit(main())
