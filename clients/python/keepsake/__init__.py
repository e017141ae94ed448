"""The client of Keepsake: a self-hosted media processing service for live events."""
from ._files import Download, FileInput
from ._tasks import GroupMemberInput
from ._webhooks import Callback, verify_callback
from .client import GroupResult, Keepsake, TaskResult
from .errors import (
    BadCallback,
    ConnectionFailed,
    KeepsakeError,
    ProblemError,
    TaskFailed,
    TimedOut,
    UploadInterrupted,
)

__all__ = [
    "BadCallback",
    "Callback",
    "ConnectionFailed",
    "Download",
    "FileInput",
    "GroupMemberInput",
    "GroupResult",
    "Keepsake",
    "KeepsakeError",
    "ProblemError",
    "TaskFailed",
    "TaskResult",
    "TimedOut",
    "UploadInterrupted",
    "verify_callback",
]
