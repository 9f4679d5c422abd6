"""`python -m matchbound`."""

import sys

from matchbound.commands.main import main

sys.exit(main())
