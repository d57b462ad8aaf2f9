"""``python -m txviz`` is ``txviz``, and so is the app that needs no Python."""

import sys
from multiprocessing import freeze_support

from txviz.cli import main

if __name__ == "__main__":
    freeze_support()  # in the app a process of its own, such as a training, starts here, too
    sys.exit(main())
