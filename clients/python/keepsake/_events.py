"""Follows tasks by their events, over broken connections, until they end or the caller stops."""
from __future__ import annotations

import http.client
import json
import socket
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from ._connection import Connection, backoff, is_passing
from .errors import ConnectionFailed, KeepsakeError, ProblemError, TimedOut

Event = Dict[str, Any]
ENDED = ("Succeeded", "Failed", "Cancelled")

#: The service sends a sign of life every 15 seconds.
_SILENCE = 45.0
#: A stream that lasted this long was a good one, even where nothing happened.
_LIVELY = 10.0
_LONGEST_EVENT = 32 * 1024**2
_POLL_MOST = 5.0
WAIT_SECONDS = 3600.0


def _one_stream(
    connection: Connection, path: str, last_event_id: Optional[str], deadline: Optional[float] = None
) -> Iterator[Tuple[str, str, str]]:
    """Name, data and id of each event of one connection, which ends when the service ends it or is silent."""
    headers = {"accept": "text/event-stream", "last-event-id": last_event_id}
    left = _SILENCE if deadline is None else max(0.1, min(_SILENCE, deadline - time.monotonic()))
    event, last, size = "", "", 0
    data: List[str] = []
    try:
        with connection.open("GET", path, headers=headers, retries=0, timeout=left) as answer:
            while True:
                # A sign of life comes often enough to look at the time.
                if deadline is not None and time.monotonic() > deadline:
                    return
                line = answer.response.readline(_LONGEST_EVENT)
                # An event that was not ended by an empty line is not whole.
                if not line.endswith(b"\n"):
                    return
                text = line.decode("utf-8", "replace").rstrip("\r\n")
                if text == "":
                    if data:
                        yield event or "message", "\n".join(data), last
                    event, data, size = "", [], 0
                    continue
                name, _, value = text.partition(":")
                value = value[1:] if value.startswith(" ") else value
                size += len(value)
                if size > _LONGEST_EVENT:
                    raise KeepsakeError("unexpected_answer", "An event is too long.")
                if name == "event":
                    event = value
                elif name == "data":
                    data.append(value)
                elif name == "id":
                    last = value
    except socket.timeout as error:
        raise TimedOut(f"The events of {path} fell silent.") from error
    except (OSError, http.client.HTTPException) as error:
        raise ConnectionFailed(f"The events of {path} broke off: {error!r}.") from error


def _reconnecting(connection: Connection, path: str, last_event_id: Optional[str]) -> Iterator[Optional[Tuple[str, str]]]:
    """Name and data of events; None after each break. Gives up after so many attempts in a row that brought nothing."""
    failures = 0
    while True:
        brought, begun = False, time.monotonic()
        failure: Optional[KeepsakeError] = None
        try:
            for name, data, event_id in _one_stream(connection, path, last_event_id):
                brought = True
                last_event_id = event_id or last_event_id
                yield name, data
        except KeepsakeError as error:
            if not is_passing(error):
                raise
            failure = error
        failures = 0 if brought or time.monotonic() - begun > _LIVELY else failures + 1
        if failures > connection.retries:
            raise failure or ConnectionFailed(f"The events of {path} end as soon as they begin.")
        asked = failure.retry_after if isinstance(failure, ProblemError) else None
        time.sleep(max(backoff(failures), min(asked or 0, 60)))
        yield None


def _task_event(name: str, data: str) -> Optional[Event]:
    if name == "task":
        return {"type": "task", "task": json.loads(data)}
    if name == "entry":
        return {"type": "entry", "entry": json.loads(data)}
    if name == "end":
        return {"type": "end", "status": json.loads(data)["status"]}
    # Whatever a later service tells besides.
    return None


def follow_task(connection: Connection, path: str, last_event_id: Optional[str] = None) -> Iterator[Event]:
    """The events of one task or group until its end."""
    for told in _reconnecting(connection, f"{path}events/", last_event_id):
        event = _task_event(*told) if told else None
        if event:
            yield event
            if event["type"] == "end":
                return


def follow_list(connection: Connection, path: str) -> Iterator[Event]:
    """The changes of all tasks or groups, until the caller stops. After each break there is a ``missed``."""
    for told in _reconnecting(connection, f"{path}events/", None):
        if told is None or told[0] == "missed":
            yield {"type": "missed"}
        elif told[0] == "changed":
            yield {"type": "changed", "task_ids": json.loads(told[1])["task_ids"]}


def wait_for_end(
    connection: Connection, path: str, wait: float = WAIT_SECONDS, on_event: Optional[Callable[[Event], None]] = None
) -> Any:
    """Waits for the end: reads the task, follows its events, and begins anew when they stop.

    Where events can't be had (too many streams, a proxy that swallows them) the reading alone goes on, with growing pauses. Outages of
    the service are sat out.
    """
    deadline = time.monotonic() + wait
    last_event_id: Optional[str] = None
    rounds = 0
    while True:
        try:
            task = connection.json("GET", path)
            if task["status"] in ENDED:
                return task
            for name, data, event_id in _one_stream(connection, f"{path}events/", last_event_id, deadline):
                last_event_id = event_id or last_event_id
                event = _task_event(name, data)
                if event:
                    rounds = 0
                    if on_event:
                        on_event(event)
                    if event["type"] == "end":
                        break
        except KeepsakeError as error:
            if not is_passing(error):
                raise
        pause = backoff(rounds, 0.25, _POLL_MOST) if rounds else 0.0
        rounds += 1
        if time.monotonic() + pause >= deadline:
            raise TimedOut(f"{path} has not ended within {wait:g} seconds. It goes on.")
        time.sleep(pause)
