"""``python -m forebay`` is the command ``forebay``."""

import sys

from forebay._cli import main

sys.exit(main())
