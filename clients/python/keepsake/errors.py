"""Every error that the client raises. Each has a stable ``code``; sentences are for people."""
from __future__ import annotations

import json
import time
from email.utils import parsedate_to_datetime
from typing import Any, Dict, List, Mapping, Optional


class KeepsakeError(Exception):
    """What all errors of this package are. ``code`` is one of the service's, or one of the client's own."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ProblemError(KeepsakeError):
    """The service answered with an error."""

    def __init__(self, method: str, path: str, status: int, headers: Mapping[str, str], body: bytes) -> None:
        told = _parsed(body)
        detail = _text(told.get("detail"), f"{method} {path} was answered with {status}.")
        super().__init__(_text(told.get("code"), "unexpected_answer"), detail)
        self.status = status
        self.title = _text(told.get("title"), "")
        self.detail = detail
        #: Each field that was wrong; empty where the error is about no field.
        self.errors: List[Dict[str, Any]] = told["errors"] if isinstance(told.get("errors"), list) else []
        #: Leads to the line in the log of the service.
        self.request_id = headers.get("x-request-id")
        #: When to come back, where the service said so.
        self.retry_after = _retry_after(headers.get("retry-after"))
        self.method = method
        self.path = path


class ConnectionFailed(KeepsakeError):
    """No whole answer came. Whether the request was carried out can't be known, unless ``never_sent``."""

    def __init__(self, message: str, never_sent: bool = False) -> None:
        super().__init__("connection_failed", message)
        self.never_sent = never_sent


class TimedOut(KeepsakeError):
    """It took longer than it may."""

    def __init__(self, message: str) -> None:
        super().__init__("timeout", message)


class UploadInterrupted(KeepsakeError):
    """An upload stopped half-way. With ``upload_id`` it can be gone on with."""

    def __init__(self, upload_id: str, cause: BaseException) -> None:
        super().__init__("upload_interrupted", f"The upload stopped: {cause} Go on with its id, {upload_id}.")
        self.upload_id = upload_id


class TaskFailed(KeepsakeError):
    """A task or group that was waited for did not succeed. ``task`` is what became of it."""

    def __init__(self, task: Mapping[str, Any]) -> None:
        entries = task["entries"] if "entries" in task else [e for each in task["tasks"] for e in each["entries"]]
        reasons = " ".join(f"{e['configuration']}: {e['error']['message']}" for e in entries if e.get("error"))
        code = "task_cancelled" if task["status"] == "Cancelled" else "task_failed"
        super().__init__(code, f"The task {task['task_id']} is {task['status']}. {reasons}".strip())
        self.task = task


class BadCallback(KeepsakeError):
    """A request that claims to be a callback, but is not one."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_callback", message)


def _parsed(body: bytes) -> Dict[str, Any]:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _text(value: Any, otherwise: str) -> str:
    return value if isinstance(value, str) else otherwise


def _retry_after(value: Optional[str]) -> Optional[float]:
    """Seconds, from either form of the header."""
    if not value:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
