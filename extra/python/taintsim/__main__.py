"""``python -m taintsim`` is the program."""

from ._program import main

main()
