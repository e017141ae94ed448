"""The client: one object for a service and a token, with everything that it keeps."""
from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union, cast

from . import _resources as resources
from . import types
from ._connection import RETRIES, TIMEOUT_SECONDS, Connection
from ._events import WAIT_SECONDS
from ._files import Download, FileInput
from ._tasks import GroupMemberInput, OnEvent, TaskGroups, Tasks
from ._uploads import Upload, Uploads
from .errors import TaskFailed


@dataclass(frozen=True)
class TaskResult:
    task: types.Task
    #: The file of the last entry; nothing of it is fetched before it is asked for.
    output: Download

    def save(self, path: str) -> None:
        self.output.save(path)

    def read(self) -> bytes:
        return self.output.read()


@dataclass(frozen=True)
class GroupResult:
    group: types.TaskGroup
    #: The final file of each configuration, in their order.
    outputs: List[Download]


class Keepsake:
    """A service and a token.

    ``timeout`` is how many seconds the service may take for one answer; files get more, by their size. ``retries`` are further
    attempts after one that failed. ``context`` is for a certificate authority of one's own.
    """

    def __init__(
        self,
        url: str,
        token: Union[str, Callable[[], str]],
        *,
        timeout: float = TIMEOUT_SECONDS,
        retries: int = RETRIES,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        connection = Connection(url, token, timeout, retries, context)
        self._connection = connection
        self.uploads = Uploads(connection)
        self.tasks = Tasks(connection, self.uploads)
        self.groups = TaskGroups(connection, self.uploads)
        self.configurations = resources.Configurations(connection, self.uploads)
        self.assets = resources.Assets(connection, self.uploads)
        self.profiles = resources.Profiles(connection, self.uploads)
        self.erasures = resources.Erasures(connection)
        self.activities = resources.Activities(connection, self.uploads)
        self.callbacks = resources.Callbacks(connection, self.uploads)
        self.experiences = resources.Experiences(connection, self.uploads)
        self.tokens = resources.Tokens(connection, self.uploads)
        self.adapters = resources.Adapters(connection, self.uploads)
        self.audit = resources.Audit(connection)

    def run(
        self,
        file: FileInput,
        configuration: str,
        *,
        wait: float = WAIT_SECONDS,
        on_event: Optional[OnEvent] = None,
        **options: Any,
    ) -> TaskResult:
        """Runs a configuration on a file and waits for the end; raises ``TaskFailed`` unless it succeeded.

        Options are those of ``tasks.create``.
        """
        made = self.tasks.create(configuration, file, **options)
        task = self.tasks.wait(made["task_id"], wait, on_event)
        if task["status"] != "Succeeded":
            raise TaskFailed(cast(Mapping[str, Any], task))
        return TaskResult(task, self.tasks.download(cast(Mapping[str, Any], task)))

    def run_group(
        self,
        configurations: Sequence[GroupMemberInput],
        *,
        wait: float = WAIT_SECONDS,
        on_event: Optional[OnEvent] = None,
        **options: Any,
    ) -> GroupResult:
        """Runs several configurations in order; raises ``TaskFailed`` unless all succeeded."""
        made = self.groups.create(configurations, **options)
        group = self.groups.wait(made["task_id"], wait, on_event)
        if group["status"] != "Succeeded":
            raise TaskFailed(cast(Mapping[str, Any], group))
        outputs = [self.groups.download(group["task_id"], each["index"]) for each in group["tasks"]]
        return GroupResult(group, outputs)

    def upload(self, file: FileInput, **options: Any) -> Upload:
        """Sends a file ahead of its task, in chunks; options are those of ``uploads.create``."""
        return self.uploads.create(file, **options)

    def events(self, **options: Any) -> Any:
        """The changes of all tasks, until the caller stops."""
        return self.tasks.events(**options)

    def search(self, words: str) -> Dict[str, Any]:
        """Guests, tasks, groups, configurations and assets by a part of what they are known by."""
        return cast(Dict[str, Any], self._connection.json("GET", "/api/search/", query={"q": words}))

    def stats(self, window: Optional[str] = None) -> types.Stats:
        """Rates, times and queues."""
        return cast(types.Stats, self._connection.json("GET", "/api/stats/", query={"window": window}))

    def session(self) -> types.Session:
        """What the token may do."""
        return cast(types.Session, self._connection.json("GET", "/api/session/"))

    def request(self, method: str, path: str, **request: Any) -> Any:
        """Any other request of the API, with the same credentials, time limits and further attempts."""
        return self._connection.json(method, path, **request)
