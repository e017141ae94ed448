"""Sends requests: credentials, time limits, and further attempts where a request may be sent again."""
from __future__ import annotations

import http.client
import json as json_module
import random
import socket
import ssl
import time
import urllib.request
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Union
from urllib.parse import quote, urlencode, urlsplit

from .errors import ConnectionFailed, KeepsakeError, ProblemError, TimedOut

TIMEOUT_SECONDS = 60.0
RETRIES = 4
#: A body that moves slower than this is given up.
_SLOWEST_BYTES_PER_SECOND = 32_000
#: When a service asks for more patience than this, the caller shall decide.
_LONGEST_RETRY_AFTER = 60.0
_LONGEST_PROBLEM = 1024**2
_LONGEST_TEXT = 256 * 1024**2
_PIECE = 1 << 16


class Body:
    """Bytes that can be sent more than once."""

    length = 0

    def pieces(self) -> Iterator[bytes]:
        raise NotImplementedError


class _Plain(Body):
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.length = len(data)

    def pieces(self) -> Iterator[bytes]:
        yield self._data


class Answer:
    """An answer whose body is read by whoever asked; close it."""

    def __init__(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        self._connection = connection
        self.response = response
        self.status = response.status
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in response.getheaders()}

    def read(self, most: int, deadline: float) -> bytes:
        pieces, size = [], 0
        while True:
            if time.monotonic() > deadline:
                raise socket.timeout("the answer took too long")
            piece = self.response.read1(_PIECE)
            if not piece:
                break
            size += len(piece)
            if size > most:
                raise KeepsakeError("unexpected_answer", f"The answer has more than {most} bytes.")
            pieces.append(piece)
        # A connection that breaks off in the middle ends like a short body.
        if self.response.length:
            raise http.client.IncompleteRead(b"", self.response.length)
        return b"".join(pieces)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> "Answer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def backoff(attempt: int, first: float = 0.5, most: float = 20.0) -> float:
    """The growing pause before a further attempt, with jitter so that many clients do not come back at once."""
    return float(min(most, first * 2**attempt) * (0.5 + random.random() / 2))


def in_path(name: str) -> str:
    """A name as a part of a path."""
    return quote(name, safe="")


class Connection:
    def __init__(
        self,
        url: str,
        token: Union[str, Callable[[], str]],
        timeout: float,
        retries: int,
        context: Optional[ssl.SSLContext],
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
            raise KeepsakeError("bad_options", "url: must be like https://keepsake.example.com")
        if not callable(token) and not (isinstance(token, str) and token):
            raise KeepsakeError("bad_options", "token: must be a token, or a function that answers one")
        if not timeout > 0:
            raise KeepsakeError("bad_options", "timeout: must be a number of seconds")
        if not 0 <= retries <= 20:
            raise KeepsakeError("bad_options", "retries: must be from 0 to 20")
        self._scheme, self._host, self._port = parts.scheme, parts.hostname, parts.port
        self._prefix = parts.path.rstrip("/")
        self._token = token
        self._context = context
        self.timeout = timeout
        self.retries = retries

    def json(self, method: str, path: str, **request: Any) -> Any:
        """The answer as JSON; None where it has no body."""
        status, _headers, body = self.whole(method, path, **request)
        if status == 204 or not body:
            return None
        try:
            return json_module.loads(body)
        except ValueError as error:
            raise KeepsakeError("unexpected_answer", f"{method} {path} did not answer JSON.") from error

    def whole(self, method: str, path: str, **request: Any) -> Any:
        """Status, headers and body of the answer."""

        def read(answer: Answer, deadline: float) -> Any:
            with answer:
                return answer.status, answer.headers, answer.read(_LONGEST_TEXT, deadline)

        return self._attempts(method, path, read, **request)

    def open(self, method: str, path: str, **request: Any) -> Answer:
        """The answer as it begins."""
        return self._attempts(method, path, lambda answer, _deadline: answer, **request)  # type: ignore[no-any-return]

    def _attempts(
        self,
        method: str,
        path: str,
        read: Callable[[Answer, float], Any],
        *,
        query: Optional[Mapping[str, Any]] = None,
        json: Any = None,
        body: Optional[Body] = None,
        headers: Optional[Mapping[str, Optional[str]]] = None,
        repeatable: Optional[bool] = None,
        retries: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Any:
        if json is not None:
            body = _Plain(json_module.dumps(json, ensure_ascii=False).encode())
            headers = {**(headers or {}), "content-type": "application/json"}
        again = method != "POST" if repeatable is None else repeatable
        most = self.retries if retries is None else retries
        target = self._prefix + path + _query(query)
        was_sent = False
        attempt = 0
        while True:
            try:
                return self._attempt(method, path, target, body, headers or {}, timeout or self.timeout, read)
            except KeepsakeError as error:
                # The attempt before got through, and only its answer was lost.
                if method == "DELETE" and was_sent and isinstance(error, ProblemError) and error.status == 404:
                    return 204, {}, b""
                if attempt >= most or not _may_try_again(error, again):
                    raise
                was_sent = was_sent or not isinstance(error, ProblemError)
                asked = error.retry_after if isinstance(error, ProblemError) else None
                pause = backoff(attempt) if asked is None else asked * (1 + random.random() / 10)
            attempt += 1
            time.sleep(pause)

    def _attempt(
        self,
        method: str,
        path: str,
        target: str,
        body: Optional[Body],
        headers: Mapping[str, Optional[str]],
        timeout: float,
        read: Callable[[Answer, float], Any],
    ) -> Any:
        length = body.length if body else 0
        deadline = time.monotonic() + timeout + length / _SLOWEST_BYTES_PER_SECOND
        connection, target = self._connect(target, timeout)
        try:
            try:
                connection.connect()
            except OSError as error:
                raise ConnectionFailed(f"{method} {path} failed: {error}.", never_sent=True) from error
            answer = Answer(connection, self._exchange(connection, method, target, body, headers, deadline))
            if not 200 <= answer.status < 300:
                told = answer.read(_LONGEST_PROBLEM, deadline)
                raise ProblemError(method, path, answer.status, answer.headers, told)
            return read(answer, deadline)
        except KeepsakeError:
            connection.close()
            raise
        except socket.timeout as error:
            connection.close()
            raise TimedOut(f"{method} {path} took too long.") from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise ConnectionFailed(f"{method} {path} failed: {error!r}.") from error
        except BaseException:
            connection.close()
            raise

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        body: Optional[Body],
        headers: Mapping[str, Optional[str]],
        deadline: float,
    ) -> http.client.HTTPResponse:
        connection.putrequest(method, target, skip_accept_encoding=True)
        token = self._token() if callable(self._token) else self._token
        connection.putheader("authorization", f"Bearer {token}")
        connection.putheader("user-agent", "keepsake-python")
        for name, value in headers.items():
            if value is not None:
                connection.putheader(name, value)
        if body is not None or method in ("POST", "PUT", "PATCH"):
            connection.putheader("content-length", str(body.length if body else 0))
        try:
            connection.endheaders()
            for piece in body.pieces() if body else ():
                if time.monotonic() > deadline:
                    raise socket.timeout("the body moves too slowly")
                connection.send(piece)
        except (BrokenPipeError, ConnectionResetError):
            # Whoever refuses a body answers before it is read to its end; the answer tells why.
            try:
                return connection.getresponse()
            except (OSError, http.client.HTTPException):
                pass
            raise
        return connection.getresponse()

    def _connect(self, target: str, timeout: float) -> Any:
        secure = self._scheme == "https"
        port = self._port or (443 if secure else 80)
        proxy = None if urllib.request.proxy_bypass(self._host) else urllib.request.getproxies().get(self._scheme)
        if proxy:
            through = urlsplit(proxy)
            host, via = through.hostname or "", through.port or 8080
        else:
            host, via = self._host, port
        if not secure:
            full = f"http://{self._host}:{port}{target}" if proxy else target
            return http.client.HTTPConnection(host, via, timeout=timeout), full
        connection = http.client.HTTPSConnection(
            host, via, timeout=timeout, context=self._context or ssl.create_default_context()
        )
        if proxy:
            connection.set_tunnel(self._host, port)
        return connection, target


def _query(values: Optional[Mapping[str, Any]]) -> str:
    given: Dict[str, str] = {}
    for name, value in (values or {}).items():
        if value is not None:
            given[name] = ("true" if value else "false") if isinstance(value, bool) else str(value)
    return "?" + urlencode(given) if given else ""


def _may_try_again(error: KeepsakeError, repeatable: bool) -> bool:
    """A request that can't be repeated is sent again only where it surely was not carried out."""
    if isinstance(error, ProblemError):
        if (error.retry_after or 0) > _LONGEST_RETRY_AFTER:
            return False
        if error.status == 429:
            return True
        return repeatable and (error.status in (408, 502, 503, 504) or error.code == "idempotency_in_progress")
    if isinstance(error, ConnectionFailed):
        return repeatable or error.never_sent
    return isinstance(error, TimedOut) and repeatable


def is_passing(error: KeepsakeError) -> bool:
    """Whether it may be over in a while."""
    if isinstance(error, ProblemError):
        return error.status in (408, 429, 502, 503, 504)
    return isinstance(error, (ConnectionFailed, TimedOut))
