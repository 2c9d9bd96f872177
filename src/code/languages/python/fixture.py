"""A store of readings.

Kept small on purpose.
"""
from __future__ import annotations
import os, os.path as osp
from .models import (
    Reading as R,
    Station,
)
from typing import *

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT: int = 10
first, second = 1, 2
double = lambda x, *, by=2: x * by
type Pair[T] = tuple[T, T]
Vector: TypeAlias = list[float]


class Color(enum.IntEnum):
    RED = 1
    GREEN = 2


@dataclass(frozen=True)
class Store[K, V](Base, Generic[K], metaclass=Meta):
    """Holds readings."""

    kind: ClassVar[str] = "store"
    items: dict[str, int]

    class Inner:
        def deep(self): ...

    def __init__(self, path: str, /, *args: int, strict: bool = False, **options):
        self.path = path
        self._cache, count = {}, 0
        self._open: bool = True
        self.path = osp.normpath(path)

    @property
    def size(self) -> int:
        return len(self.items)  # a comment

    @staticmethod
    async def load(path: str) -> "Store":
        async with open(path) as f:
            return [line async for line in f if line and not line.isspace()]

    @overload
    def get(self, key: int) -> int: ...
    def get(self, key):
        match key:
            case 0 if LIMIT:
                return None
            case _:
                raise KeyError(key)

    def __secret(self):
        def helper(n):
            while n:
                yield n
                n -= 1 if n > 0 else 0
        return helper
