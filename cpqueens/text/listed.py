"""What `dir` shows of a class whose package uses more of it than its users do."""

import inspect


class ListsWhatIsPublic(type):
    """A kind of classes of which `dir` shows what has an example, beside all that is not the package's own.

    Other members look public to the package, which calls them from many folders, and may change.
    """

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if name.startswith("_") or cls._is_shown(name)]

    def _is_shown(cls, name: str) -> bool:
        owner = next((kind for kind in cls.__mro__ if name in vars(kind)), cls)
        if not owner.__module__.startswith("cpqueens."):
            return True
        member = vars(owner)[name]
        function = member.fget if isinstance(member, property) else member
        return inspect.isroutine(function) and ">>> " in (inspect.getdoc(function) or "")


class ListsForUsers(ListsWhatIsPublic):
    """The same of kinds of values, without the operators that all share, so that `help` is a page."""

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if name in ("__init__", "implies") or cls._is_own(name)]

    def _is_own(cls, name: str) -> bool:
        owner = next((kind for kind in cls.__mro__ if name in vars(kind)), cls)
        return not name.startswith("__") and owner.__module__ != "cpqueens.language.expressions"
