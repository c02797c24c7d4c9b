"""All mutants, by the part of the package that they are in."""

from __future__ import annotations

from list_checker import CHECKER
from list_crosscheck import CROSSCHECK
from list_engines import BACKTRACKING, COMPILED, KERNELS
from list_exchange import COMPARING, ELSEWHERE, EXCHANGE
from list_kinds import KINDS
from list_laboratory import LABORATORY
from list_language import LANGUAGE, LOWERING
from list_local_search import LOCAL_SEARCH, SEARCH_KERNELS
from list_longrun import LONGRUN
from list_meaning import MEANING
from list_pipeline import PIPELINE
from list_problems import PROBLEMS
from list_proofs import PROOFS
from list_readable import READABLE
from list_translations import CPSAT, PYTHON_CONSTRAINT
from list_wholes import WHOLES
from mutant import Area

AREAS: tuple[Area, ...] = (
    CHECKER,
    LANGUAGE,
    LOWERING,
    KINDS,
    CPSAT,
    PYTHON_CONSTRAINT,
    COMPILED,
    KERNELS,
    BACKTRACKING,
    WHOLES,
    LOCAL_SEARCH,
    SEARCH_KERNELS,
    PIPELINE,
    READABLE,
    PROBLEMS,
    CROSSCHECK,
    LONGRUN,
    LABORATORY,
    ELSEWHERE,
    EXCHANGE,
    MEANING,
    COMPARING,
    PROOFS,
)
