"""What recall would weigh for every question, computed once and kept; any weights rank it anew in milliseconds."""

from echovessel.workbench.candidates.gather import gather, without_neighbours
from echovessel.workbench.candidates.kept import candidates, code_version
from echovessel.workbench.candidates.rerank import Reranker, Scored
from echovessel.workbench.candidates.table import Candidates, Head

__all__ = [
    "Candidates",
    "Head",
    "Reranker",
    "Scored",
    "candidates",
    "code_version",
    "gather",
    "without_neighbours",
]
