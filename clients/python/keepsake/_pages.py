"""Lists: iterated item by item; each page is fetched when it is needed."""
from __future__ import annotations

from typing import Any, Iterator, Mapping

from ._connection import Connection
from .errors import KeepsakeError


def items_of(connection: Connection, path: str, filters: Mapping[str, Any]) -> Iterator[Any]:
    cursor = filters.get("cursor")
    while True:
        page = connection.json("GET", path, query={**filters, "cursor": cursor})
        yield from page["items"]
        following = page["next_cursor"]
        if following is None:
            return
        # A cursor that leads to itself would never end.
        if following == cursor:
            raise KeepsakeError("unexpected_answer", "The list does not go on.")
        cursor = following
