"""Uploads that go on where they stopped, by the tus protocol 1.0, and the parts of requests with files."""
from __future__ import annotations

import base64
import json
import re
import time
import uuid
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, TypedDict, cast

from ._connection import Connection, backoff, in_path
from ._files import FileInput, Multipart, Progress, Range, Source, open_source
from .errors import ConnectionFailed, KeepsakeError, ProblemError, TimedOut, UploadInterrupted

_PATH = "/api/upload/"
_TUS = {"tus-resumable": "1.0.0"}
CHUNK_BYTES = 8 * 1024**2


class Upload(TypedDict):
    """What was uploaded; ``upload_id`` is for ``upload`` of a task."""

    upload_id: str
    bytes: int


class _NotServed(KeepsakeError):
    """The service has no uploads of this kind."""


class Uploads:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        #: What the service was found to have; None before the first try.
        self._is_served: Optional[bool] = None

    def create(
        self,
        file: FileInput,
        *,
        chunk_bytes: int = CHUNK_BYTES,
        progress: Optional[Progress] = None,
        resume: Optional[str] = None,
        on_upload_id: Optional[Callable[[str], None]] = None,
    ) -> Upload:
        """Sends a file ahead of its task. Within 24 hours a task can name it, once.

        ``resume`` is the id, or the URL, of an upload that was interrupted. ``on_upload_id`` is called once the upload has its id:
        save it, and a new process can go on.
        """
        return self.send(open_source(file), chunk_bytes, progress, resume, on_upload_id)

    def delete(self, upload_id: str) -> None:
        """Throws away what was uploaded."""
        self._connection.whole("DELETE", _path_of(upload_id), headers=_TUS)

    def try_to_send(self, source: Source, **options: Any) -> Optional[str]:
        """The id of the upload; None where the service takes files only inside of requests."""
        if self._is_served is False:
            return None
        try:
            return self.send(source, **options)["upload_id"]
        except _NotServed:
            return None

    def send(
        self,
        source: Source,
        chunk_bytes: int = CHUNK_BYTES,
        progress: Optional[Progress] = None,
        resume: Optional[str] = None,
        on_upload_id: Optional[Callable[[str], None]] = None,
    ) -> Upload:
        if not 1 <= chunk_bytes <= 1024**3:
            raise KeepsakeError("bad_options", f"chunk_bytes: must be from 1 to {1024**3}")
        upload_id = "" if resume is None else _id_of(resume)
        offset = None if resume is None else self._find_offset(upload_id, source)
        if offset is None:
            upload_id, offset = self._begin(source), 0
        if on_upload_id:
            on_upload_id(upload_id)
        try:
            self._send_from(offset, upload_id, source, chunk_bytes, progress)
        except ProblemError as error:
            # What is expired or refused can't be gone on with; an upload that another request still holds can.
            if error.status < 500 and error.status != 429 and not _may_go_on(error):
                raise
            raise UploadInterrupted(upload_id, error) from error
        except (ConnectionFailed, TimedOut) as error:
            raise UploadInterrupted(upload_id, error) from error
        return {"upload_id": upload_id, "bytes": source.size}

    def _begin(self, source: Source) -> str:
        name = base64.b64encode(source.name.encode("utf-8", "replace")).decode()
        headers = {**_TUS, "upload-length": str(source.size), "upload-metadata": f"filename {name}"}
        try:
            # One that nobody knows of expires by itself, so it may be sent again.
            _status, answered, _body = self._connection.whole("POST", _PATH, headers=headers, repeatable=True)
        except ProblemError as error:
            if error.status not in (404, 405, 501) or self._is_served:
                raise
            self._is_served = False
            raise _NotServed("uploads_not_served", "This service takes files only inside of requests.") from error
        self._is_served = True
        return _id_of(answered.get("location", ""))

    def _find_offset(self, upload_id: str, source: Source) -> Optional[int]:
        """How much the service has; None when it does not know the upload any more."""
        try:
            _status, headers, _body = self._connection.whole("HEAD", _path_of(upload_id), headers=_TUS)
        except ProblemError as error:
            if error.status in (404, 410):
                return None
            raise
        length = headers.get("upload-length")
        if length is not None and int(length) != source.size:
            raise KeepsakeError("bad_options", f"resume: that upload is of {length} bytes, the file has {source.size}")
        return _offset_of(headers, source.size)

    def _send_from(
        self, offset: int, upload_id: str, source: Source, chunk_bytes: int, progress: Optional[Progress]
    ) -> None:
        failures = 0
        if progress:
            progress(offset, source.size)
        while offset < source.size:
            before = offset
            try:
                offset = self._send_chunk(offset, upload_id, source, chunk_bytes)
            except KeepsakeError as error:
                if not _may_go_on(error) or failures >= self._connection.retries:
                    raise
                asked = error.retry_after if isinstance(error, ProblemError) else None
                time.sleep(max(backoff(failures), asked or 0))
                # What arrived of the chunk counts.
                known = self._find_offset(upload_id, source)
                if known is None:
                    raise
                offset = known
            failures = 0 if offset > before else failures + 1
            if failures > self._connection.retries:
                raise ConnectionFailed("The service takes no more of the file.")
            if progress and offset != before:
                progress(offset, source.size)

    def _send_chunk(self, offset: int, upload_id: str, source: Source, chunk_bytes: int) -> int:
        _status, headers, _body = self._connection.whole(
            "PATCH",
            _path_of(upload_id),
            headers={**_TUS, "upload-offset": str(offset), "content-type": "application/offset+octet-stream"},
            body=Range(source, offset, min(offset + chunk_bytes, source.size)),
            # The offset is asked for before the next attempt.
            retries=0,
        )
        return _offset_of(headers, source.size)


def _path_of(upload_id: str) -> str:
    return _PATH + in_path(upload_id)


def _id_of(place: str) -> str:
    """The id out of an address. Only the id is kept, so no answer and no saved address leads the token elsewhere."""
    parts = [part for part in re.split(r"[?#]", place)[0].split("/") if part]
    upload_id = parts[-1] if parts else ""
    if not re.fullmatch(r"[A-Za-z0-9_~+=-][A-Za-z0-9_.~+=-]{0,255}", upload_id):
        raise KeepsakeError("unexpected_answer", "That is no address of an upload.")
    return upload_id


def _offset_of(headers: Mapping[str, str], size: int) -> int:
    text = headers.get("upload-offset", "")
    if not re.fullmatch(r"[0-9]{1,16}", text) or int(text) > size:
        raise KeepsakeError("unexpected_answer", "The service did not say how much of the upload it has.")
    return int(text)


def _may_go_on(error: KeepsakeError) -> bool:
    """409: the offset is another one; 423: an attempt of before still holds the upload; 460: a chunk was damaged on its way."""
    if isinstance(error, ProblemError):
        return error.status in (408, 409, 423, 429, 460, 502, 503, 504) and (error.retry_after or 0) <= 60
    return isinstance(error, (ConnectionFailed, TimedOut))


class Parts:
    """The parts of a request with files: small files inside of it, large ones sent ahead where the service takes that."""

    def __init__(self, connection: Connection, uploads: Uploads) -> None:
        self._connection = connection
        self._uploads = uploads
        self._fields: List[Tuple[str, str]] = []
        self._files: List[Tuple[str, Source, bool]] = []

    @property
    def is_empty(self) -> bool:
        return not self._fields and not self._files

    def text(self, name: str, value: Optional[str]) -> "Parts":
        if value is not None:
            self._fields.append((name, value))
        return self

    def json(self, name: str, value: Any) -> "Parts":
        return self if value is None else self.text(name, json.dumps(value, ensure_ascii=False))

    def all(self, parts: Optional[Mapping[str, str]]) -> "Parts":
        for name, value in (parts or {}).items():
            self.text(name, value)
        return self

    def file(self, name: str, file: FileInput, may_go_ahead: bool = False) -> "Parts":
        self._files.append((name, open_source(file), may_go_ahead))
        return self

    def source(self, name: str, file: Optional[FileInput], url: Optional[str], upload: Optional[str]) -> "Parts":
        if sum(each is not None for each in (file, url, upload)) > 1:
            raise KeepsakeError("bad_options", f"{name}: give one of file, url and upload")
        self.text(f"{name}_url", url).text(f"{name}_upload", upload)
        return self if file is None else self.file(name, file, True)

    def fetch(self, method: str, path: str, query: Mapping[str, Any]) -> bytes:
        """The answer as bytes; for requests that change nothing."""
        body = Multipart(self._fields, [(name, source) for name, source, _ahead in self._files], None)
        headers = {"content-type": body.content_type}
        answer = self._connection.whole(method, path, body=body, headers=headers, query=query, repeatable=True)
        return cast(bytes, answer[2])

    def send(
        self,
        method: str,
        path: str,
        *,
        creates: bool = False,
        idempotency_key: Optional[str] = None,
        headers: Optional[Mapping[str, Optional[str]]] = None,
        progress: Optional[Progress] = None,
        resume: Optional[str] = None,
        on_upload_id: Optional[Callable[[str], None]] = None,
        chunk_bytes: int = CHUNK_BYTES,
        upload_from_bytes: Optional[float] = None,
    ) -> Any:
        least = CHUNK_BYTES if upload_from_bytes is None else upload_from_bytes
        total = sum(source.size for _name, source, _ahead in self._files)
        fields, files, done = list(self._fields), [], 0

        def tell_from(before: int) -> Optional[Progress]:
            return None if progress is None else lambda sent, _size: progress(before + sent, total)

        for name, source, may_go_ahead in self._files:
            upload_id = None
            if may_go_ahead and (source.size >= least or resume is not None):
                upload_id = self._uploads.try_to_send(
                    source,
                    chunk_bytes=chunk_bytes,
                    progress=tell_from(done),
                    resume=resume,
                    on_upload_id=on_upload_id,
                )
            if upload_id is None:
                files.append((name, source))
            else:
                fields.append((f"{name}_upload", upload_id))
                done += source.size
        body = Multipart(fields, files, tell_from(done))
        sent: Dict[str, Optional[str]] = {**(headers or {}), "content-type": body.content_type}
        if creates:
            # One key for all attempts of this call.
            sent["idempotency-key"] = idempotency_key or uuid.uuid4().hex
        return self._connection.json(method, path, body=body, headers=sent, repeatable=creates or method == "PUT")
