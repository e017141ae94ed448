"""Files that go in, whatever they are given as, and files that come out."""
from __future__ import annotations

import http.client
import io
import os
import socket
import tempfile
import time
import uuid
from typing import IO, Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from ._connection import Body, Connection, backoff
from .errors import ConnectionFailed, KeepsakeError, TimedOut

#: A path, bytes, or a binary file that is open.
FileInput = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, IO[bytes]]
Progress = Callable[[int, int], None]

_PIECE = 1 << 16
#: Of a stream that can't be read twice, which is copied before it is sent.
_MOST_SPOOLED = 16 * 1024**3


class Source:
    """A file of known size that can be read more than once, in parts."""

    def __init__(self, name: str, size: int, opened: Callable[[], IO[bytes]], start: int, closes: bool) -> None:
        self.name = name
        self.size = size
        self._opened = opened
        self._start = start
        self._closes = closes

    def pieces(self, begin: int = 0, end: Optional[int] = None) -> Iterator[bytes]:
        left = (self.size if end is None else end) - begin
        file = self._opened()
        try:
            file.seek(self._start + begin)
            while left > 0:
                piece = file.read(min(_PIECE, left))
                if not piece:
                    raise KeepsakeError("bad_options", f"{self.name}: became shorter while it was sent")
                left -= len(piece)
                yield piece
        finally:
            if self._closes:
                file.close()


def open_source(file: FileInput) -> Source:
    if isinstance(file, (bytes, bytearray, memoryview)):
        data = bytes(file)
        return Source("file", len(data), lambda: io.BytesIO(data), 0, True)
    if isinstance(file, (str, os.PathLike)):
        path = os.fspath(file)
        return Source(os.path.basename(path), os.stat(path).st_size, lambda: open(path, "rb"), 0, True)
    if not hasattr(file, "read"):
        raise KeepsakeError("bad_options", "file: must be a path, bytes or an open binary file")
    name = getattr(file, "name", None)
    shown = os.path.basename(name) if isinstance(name, str) and name else "file"
    stream = file if getattr(file, "seekable", lambda: False)() else _spooled(file)
    start = stream.tell()
    size = stream.seek(0, os.SEEK_END) - start
    stream.seek(start)
    return Source(shown, size, lambda: stream, start, False)


def _spooled(stream: IO[bytes]) -> IO[bytes]:
    """A stream can be read once, but a request may have to be sent again."""
    copy: Any = tempfile.SpooledTemporaryFile(max_size=8 * 1024**2)
    size = 0
    while True:
        piece = stream.read(_PIECE)
        if not piece:
            break
        size += len(piece)
        if size > _MOST_SPOOLED:
            raise KeepsakeError("bad_options", f"file: a stream may have {_MOST_SPOOLED} bytes at most")
        copy.write(piece)
    copy.seek(0)
    return copy  # type: ignore[no-any-return]


class Range(Body):
    """A part of a file as a body."""

    def __init__(self, source: Source, begin: int, end: int) -> None:
        self._source, self._begin, self._end = source, begin, end
        self.length = end - begin

    def pieces(self) -> Iterator[bytes]:
        return self._source.pieces(self._begin, self._end)


class Multipart(Body):
    """A multipart body that is read while it is sent."""

    def __init__(self, fields: List[Tuple[str, str]], files: List[Tuple[str, Source]], progress: Optional[Progress]) -> None:
        boundary = "keepsake" + uuid.uuid4().hex
        self.content_type = f"multipart/form-data; boundary={boundary}"
        self._heads: List[Tuple[bytes, Optional[Source]]] = []
        for name, value in fields:
            head = f'--{boundary}\r\ncontent-disposition: form-data; name="{_quoted(name)}"\r\n\r\n{value}'
            self._heads.append((head.encode(), None))
        for name, source in files:
            head = (
                f'--{boundary}\r\ncontent-disposition: form-data; name="{_quoted(name)}"; '
                f'filename="{_quoted(source.name)}"\r\ncontent-type: application/octet-stream\r\n\r\n'
            )
            self._heads.append((head.encode(), source))
        self._end = f"--{boundary}--\r\n".encode()
        self._progress = progress
        self.file_bytes = sum(source.size for _name, source in files)
        self.length = sum(len(head) + (s.size if s else 0) + 2 for head, s in self._heads) + len(self._end)

    def pieces(self) -> Iterator[bytes]:
        sent = 0
        for head, source in self._heads:
            yield head
            for piece in source.pieces() if source else ():
                yield piece
                sent += len(piece)
                if self._progress:
                    self._progress(sent, self.file_bytes)
            yield b"\r\n"
        yield self._end


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


class Download:
    """A file of the service. Nothing of it is fetched before it is asked for."""

    def __init__(self, connection: Connection, path: str, progress: Optional[Callable[[int, Optional[int]], None]] = None) -> None:
        self._connection = connection
        self.path = path
        self._progress = progress

    def __iter__(self) -> Iterator[bytes]:
        """The bytes as they come. When the connection breaks, they go on where they stopped."""
        at, failures = 0, 0
        seen: Optional[Tuple[Optional[str], Optional[int]]] = None
        while True:
            try:
                headers = {"range": f"bytes={at}-"} if at else {}
                with self._connection.open("GET", self.path, headers=headers) as answer:
                    etag = answer.headers.get("etag")
                    if seen and at and (seen[0] is None or seen[0] != etag or answer.status != 206):
                        text = f"{self.path} became another file while it was downloaded. Begin anew."
                        raise KeepsakeError("changed_meanwhile", text)
                    seen = seen or (etag, _total(answer.headers))
                    while True:
                        piece = answer.response.read1(_PIECE)
                        if not piece:
                            break
                        at += len(piece)
                        failures = 0
                        yield piece
                        if self._progress:
                            self._progress(at, seen[1])
                if seen[1] is None or at >= seen[1]:
                    return
                raise ConnectionFailed(f"{self.path} ended after {at} of {seen[1]} bytes.")
            except (OSError, http.client.HTTPException, ConnectionFailed, TimedOut) as error:
                if failures >= self._connection.retries:
                    if isinstance(error, KeepsakeError):
                        raise
                    if isinstance(error, socket.timeout):
                        raise TimedOut(f"{self.path} fell silent.") from error
                    raise ConnectionFailed(f"The download of {self.path} broke off: {error!r}.") from error
            time.sleep(backoff(failures))
            failures += 1

    def read(self) -> bytes:
        """The whole file, in memory."""
        return b"".join(self)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes it to a path. What is half-way never has that name."""
        partial = f"{os.fspath(path)}.{uuid.uuid4().hex}.part"
        try:
            with open(partial, "xb") as file:
                for piece in self:
                    file.write(piece)
            os.replace(partial, path)
        except BaseException:
            if os.path.exists(partial):
                os.remove(partial)
            raise


def _total(headers: Mapping[str, str]) -> Optional[int]:
    length = headers.get("content-length")
    return None if length is None or "content-encoding" in headers else int(length)
