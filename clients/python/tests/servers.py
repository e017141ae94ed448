"""Servers that misbehave as they are told, on free ports of loopback."""
from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Tuple

#: Gets the handler, after the body was read.
Step = Callable[["_Handler"], None]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Scripted"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)

    def _serve(self) -> None:
        self.close_connection = True
        self.server.asked.append(f"{self.command} {self.path}")
        self.server.step(self)

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def answer(self, status: int, body: bytes = b"", **headers: Any) -> None:
        self.send_response(status)
        for name, value in {"content_length": len(body), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def cut(self) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_: Any) -> None:
        pass


class Scripted(ThreadingHTTPServer):
    """Does one step after the other, and the last one for ever."""

    daemon_threads = True

    def __init__(self, *steps: Step) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.steps = list(steps)
        self.asked: List[str] = []
        self.received: List[Tuple[Dict[str, str], bytes]] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def step(self, handler: _Handler) -> None:
        body = handler.body()
        self.received.append(({name.lower(): value for name, value in handler.headers.items()}, body))
        (self.steps.pop(0) if len(self.steps) > 1 else self.steps[0])(handler)

    def handle_error(self, *_: Any) -> None:
        pass

    def __enter__(self) -> "Scripted":
        return self

    def __exit__(self, *_: Any) -> None:
        self.shutdown()
        self.server_close()


def answers(status: int, value: Any, **headers: Any) -> Step:
    return lambda handler: handler.answer(status, json.dumps(value).encode(), **headers)


def problem(status: int, code: str, **headers: Any) -> Step:
    return answers(status, {"status": status, "code": code, "title": code, "detail": f"It is {code}."}, **headers)


def cut(handler: _Handler) -> None:
    handler.cut()


class Tus(Scripted):
    """The tus protocol 1.0. A fault is a number of bytes after which a PATCH is cut off, `unanswered`, or a problem."""

    def __init__(self, is_served: bool = True) -> None:
        self.uploads: Dict[str, Tuple[int, bytes]] = {}
        self.faults: List[Any] = []
        self.is_served = is_served
        self.others: List[bytes] = []
        super().__init__(cut)

    def step(self, handler: _Handler) -> None:
        method, path = handler.command, handler.path
        if not path.startswith("/api/upload/"):
            self.others.append(handler.body())
            return answers(202, {"task_id": "t", "status": "Waiting"})(handler)
        if not self.is_served:
            return problem(404, "not_found")(handler)
        if handler.headers.get("tus-resumable") != "1.0.0":
            return problem(412, "no_tus")(handler)
        if method == "POST":
            upload_id = f"upload-{len(self.uploads) + 1}"
            self.uploads[upload_id] = (int(handler.headers["upload-length"]), b"")
            return handler.answer(201, location=f"/api/upload/{upload_id}")
        upload_id = path[len("/api/upload/") :]
        if upload_id not in self.uploads:
            return problem(404, "not_found")(handler)
        length, data = self.uploads[upload_id]
        if method == "PATCH":
            return self._append(handler, upload_id, length, data)
        if method == "DELETE":
            del self.uploads[upload_id]
        return handler.answer(204 if method == "DELETE" else 200, upload_offset=len(data), upload_length=length)

    def _append(self, handler: _Handler, upload_id: str, length: int, data: bytes) -> None:
        fault: Optional[Any] = self.faults.pop(0) if self.faults else None
        if callable(fault):
            return fault(handler)
        if int(handler.headers["upload-offset"]) != len(data):
            return problem(409, "wrong_offset")(handler)
        if isinstance(fault, int):
            self.uploads[upload_id] = (length, data + handler.rfile.read(fault))
            return handler.cut()
        data += handler.body()
        self.uploads[upload_id] = (length, data)
        if fault == "unanswered":
            return handler.cut()
        return handler.answer(204, upload_offset=len(data))
