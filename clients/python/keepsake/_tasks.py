"""Tasks and task groups: made, followed, steered, and their files fetched."""
from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, TypedDict, Union, cast

from ._connection import Connection, in_path
from ._events import WAIT_SECONDS, Event, follow_list, follow_task, wait_for_end
from ._files import Download, FileInput
from ._pages import items_of
from ._uploads import Parts, Uploads
from .errors import KeepsakeError
from .types import Receipt, Task, TaskGroup

#: The id, or what was read before.
TaskRef = Union[str, Mapping[str, Any]]
OnEvent = Callable[[Event], None]


class Counted(TypedDict):
    """How many tasks were found."""

    count: int


class GroupMemberInput(TypedDict, total=False):
    """One configuration of a group, with one of ``file``, ``url``, ``upload`` and ``input``."""

    configuration: str
    file: FileInput
    url: str
    upload: str
    #: The name of an earlier configuration of the group, whose output is taken.
    input: str
    extras: Dict[str, Any]


class _Steered:
    """What tasks and groups have in common."""

    _path = ""

    def __init__(self, connection: Connection, uploads: Uploads) -> None:
        self._connection = connection
        self._uploads = uploads

    def _of(self, task: TaskRef) -> str:
        task_id = task if isinstance(task, str) else task["task_id"]
        if not isinstance(task_id, str) or not task_id:
            raise KeepsakeError("bad_options", "task: must be its id")
        return f"{self._path}{in_path(task_id)}/"

    def _parts(self) -> Parts:
        return Parts(self._connection, self._uploads)

    def retract(self, task: TaskRef) -> Receipt:
        """Takes back what was delivered, where the destination allows it."""
        return cast(Receipt, self._connection.json("POST", f"{self._of(task)}retract/", repeatable=True))

    def delete(self, task: TaskRef) -> None:
        """Takes the record and its files away; what was delivered stays."""
        self._connection.whole("DELETE", self._of(task))

    def retry_many(self, *, dry_run: bool = False, **selection: Any) -> Counted:
        """Runs all again that the selection finds and that failed or were cancelled."""
        return self._many("retry", dry_run, selection)

    def cancel_many(self, *, dry_run: bool = False, **selection: Any) -> Counted:
        return self._many("cancel", dry_run, selection)

    def _many(self, verb: str, dry_run: bool, selection: Dict[str, Any]) -> Counted:
        body = {**selection, **({"dry_run": True} if dry_run else {})}
        return cast(Counted, self._connection.json("POST", f"{self._path}{verb}/", json=body, repeatable=dry_run))

    def events(self, task: Optional[TaskRef] = None, *, last_event_id: Optional[str] = None) -> Iterator[Event]:
        """The events of one of them until its end; without one the changes of all, until the caller stops."""
        if task is None:
            return follow_list(self._connection, self._path)
        return follow_task(self._connection, self._of(task), last_event_id)


class Tasks(_Steered):
    _path = "/api/task/"

    def create(
        self,
        configuration: str,
        file: Optional[FileInput] = None,
        *,
        url: Optional[str] = None,
        upload: Optional[str] = None,
        extras: Optional[Mapping[str, Any]] = None,
        files: Optional[Mapping[str, Union[FileInput, Sequence[FileInput]]]] = None,
        experience_id: Optional[str] = None,
        parts: Optional[Mapping[str, str]] = None,
        **options: Any,
    ) -> Task:
        """Answers as soon as the task is accepted.

        ``files`` are for asset parameters, for this task alone. Options: ``idempotency_key``, ``progress``, ``resume``,
        ``on_upload_id``, ``chunk_bytes``, ``upload_from_bytes`` (files from this size on are sent ahead, in chunks).
        """
        sent = self._parts().text("configuration_name", configuration).text("experience_id", experience_id)
        sent.json("extras", extras).all(parts)
        _add_files(sent, file, url, upload, files)
        return cast(Task, sent.send("POST", self._path, creates=True, **options))

    def list(self, **filters: Any) -> Iterator[Task]:
        """Newest first. ``limit`` is the size of a page; further pages are fetched when they are needed."""
        return items_of(self._connection, self._path, filters)

    def get(self, task: TaskRef) -> Task:
        return cast(Task, self._connection.json("GET", self._of(task)))

    def cancel(self, task: TaskRef) -> Task:
        return cast(Task, self._connection.json("POST", f"{self._of(task)}cancel/"))

    def retry(
        self,
        task: TaskRef,
        *,
        file: Optional[FileInput] = None,
        url: Optional[str] = None,
        upload: Optional[str] = None,
        extras: Optional[Mapping[str, Any]] = None,
        files: Optional[Mapping[str, Union[FileInput, Sequence[FileInput]]]] = None,
        **options: Any,
    ) -> Task:
        """Runs a failed or cancelled task again, with other files or extras where they are given."""
        sent = self._parts().json("extras", extras)
        _add_files(sent, file, url, upload, files)
        path = f"{self._of(task)}retry/"
        return cast(Task, self._connection.json("POST", path) if sent.is_empty else sent.send("POST", path, **options))

    def wait(self, task: TaskRef, wait: float = WAIT_SECONDS, on_event: Optional[OnEvent] = None) -> Task:
        """Waits until it has ended, however it ended."""
        return cast(Task, wait_for_end(self._connection, self._of(task), wait, on_event))

    def input(self, task: TaskRef) -> Download:
        """The file that was sent in."""
        return Download(self._connection, f"{self._of(task)}input/")

    def download(
        self, task: TaskRef, entry: int = -1, progress: Optional[Callable[[int, Optional[int]], None]] = None
    ) -> Download:
        """The file that an entry handed on; that of the last one unless told."""
        if entry < 0:
            whole = task if not isinstance(task, str) and "entries" in task else self.get(task)
            entry += len(whole["entries"])
        return Download(self._connection, f"{self._of(task)}output/{entry}/", progress)


def _add_files(
    sent: Parts,
    file: Optional[FileInput],
    url: Optional[str],
    upload: Optional[str],
    files: Optional[Mapping[str, Union[FileInput, Sequence[FileInput]]]],
) -> None:
    sent.source("data", file, url, upload)
    for name, given in (files or {}).items():
        for each in given if isinstance(given, (list, tuple)) else [given]:
            sent.file(f"{name}_data", cast(FileInput, each))


class TaskGroups(_Steered):
    _path = "/api/taskgroup/"

    def create(
        self,
        configurations: Sequence[GroupMemberInput],
        *,
        webhook_url: Optional[str] = None,
        on_failure: Optional[str] = None,
        experience_id: Optional[str] = None,
        parts: Optional[Mapping[str, str]] = None,
        **options: Any,
    ) -> TaskGroup:
        """Answers as soon as the group is accepted. ``on_failure`` is ``stop`` or ``continue``."""
        sent = self._parts().json("configuration_names", [each["configuration"] for each in configurations])
        sent.text("webhook_url", webhook_url).text("on_failure", on_failure).text("experience_id", experience_id).all(parts)
        _add_members(sent, configurations)
        return cast(TaskGroup, sent.send("POST", self._path, creates=True, **options))

    def list(self, **filters: Any) -> Iterator[TaskGroup]:
        return items_of(self._connection, self._path, filters)

    def get(self, group: TaskRef) -> TaskGroup:
        return cast(TaskGroup, self._connection.json("GET", self._of(group)))

    def cancel(self, group: TaskRef) -> TaskGroup:
        return cast(TaskGroup, self._connection.json("POST", f"{self._of(group)}cancel/"))

    def retry(self, group: TaskRef, changes: Sequence[GroupMemberInput] = (), **options: Any) -> TaskGroup:
        """Runs a failed or cancelled group again, with other files or extras where they are given."""
        sent = self._parts()
        _add_members(sent, changes)
        path = f"{self._of(group)}retry/"
        answer = self._connection.json("POST", path) if sent.is_empty else sent.send("POST", path, **options)
        return cast(TaskGroup, answer)

    def wait(self, group: TaskRef, wait: float = WAIT_SECONDS, on_event: Optional[OnEvent] = None) -> TaskGroup:
        """Waits until it has ended, however it ended."""
        return cast(TaskGroup, wait_for_end(self._connection, self._of(group), wait, on_event))

    def input(self, group: TaskRef, index: int) -> Download:
        """The file that was sent in for a configuration of the group."""
        return Download(self._connection, f"{self._of(group)}input/{index}/")

    def download(
        self,
        group: TaskRef,
        index: int,
        entry: Optional[int] = None,
        progress: Optional[Callable[[int, Optional[int]], None]] = None,
    ) -> Download:
        """The final file of a configuration, or that of one of its entries."""
        step = "" if entry is None else f"{entry}/"
        return Download(self._connection, f"{self._of(group)}output/{index}/{step}", progress)


def _add_members(sent: Parts, members: Sequence[GroupMemberInput]) -> None:
    for member in members:
        name = member["configuration"]
        sent.text(f"{name}_input", member.get("input")).json(f"{name}_extras", member.get("extras"))
        sent.source(f"{name}_data", member.get("file"), member.get("url"), member.get("upload"))


__all__: List[str] = ["Counted", "GroupMemberInput", "TaskGroups", "TaskRef", "Tasks"]
