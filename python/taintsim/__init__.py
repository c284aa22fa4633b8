"""taintsim, the simulator of how Kubernetes handles failing nodes, for Python."""

from ._program import Finished, ProgramError, call, program

__all__ = ["Finished", "ProgramError", "call", "program"]
