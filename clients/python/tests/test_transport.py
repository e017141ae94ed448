"""How the client behaves when the service or the way to it does not: further attempts, keys, time limits, uploads, events."""
from __future__ import annotations

import base64
import hashlib
import hmac
import io
import os
import socket
import struct
import tempfile
import time
import unittest
from typing import Any, List

from keepsake import BadCallback, ConnectionFailed, Keepsake, KeepsakeError, ProblemError, TimedOut, UploadInterrupted
from keepsake import verify_callback

from .servers import Scripted, Tus, answers, cut, problem

TASK = {"task_id": "t", "status": "Waiting", "entries": []}


def client(server: Scripted, **options: Any) -> Keepsake:
    return Keepsake(server.url, "ks_test", **options)


class Attempts(unittest.TestCase):
    def test_a_request_that_may_be_repeated_is_with_one_key(self) -> None:
        steps = (cut, problem(503, "full", retry_after=0), problem(409, "idempotency_in_progress", retry_after=0))
        with Scripted(*steps, answers(202, TASK)) as server:
            self.assertEqual(client(server).tasks.create("c", b"photo")["task_id"], "t")
            keys = [headers["idempotency-key"] for headers, _body in server.received]
            self.assertEqual((len(keys), len(set(keys))), (4, 1))
            self.assertTrue(all(b"photo" in body for _headers, body in server.received))
            client(server).tasks.create("c", url="https://example.com/a", idempotency_key="mine")
            self.assertEqual(server.received[-1][0]["idempotency-key"], "mine")

    def test_others_are_sent_once_unless_they_surely_did_nothing(self) -> None:
        with Scripted(cut, answers(202, TASK)) as server:
            with self.assertRaises(ConnectionFailed):
                client(server).tasks.cancel("t")
            self.assertEqual(len(server.asked), 1)
        with Scripted(problem(503, "unavailable", retry_after=0), answers(201, {})) as server:
            with self.assertRaises(ProblemError):
                client(server).profiles.create(rfid="x")
        with Scripted(problem(429, "token_limit", retry_after=0), answers(202, TASK)) as server:
            self.assertEqual(client(server).tasks.cancel("t")["task_id"], "t")

    def test_attempts_have_an_end_and_retry_after_is_honoured(self) -> None:
        with Scripted(cut) as server:
            with self.assertRaises(ConnectionFailed):
                client(server, retries=1).tasks.get("t")
            self.assertEqual(len(server.asked), 2)
        with Scripted(problem(429, "token_limit", retry_after=1), answers(200, TASK)) as server:
            begun = time.monotonic()
            client(server).tasks.get("t")
            self.assertGreaterEqual(time.monotonic() - begun, 0.99)
        with Scripted(problem(429, "token_limit", retry_after=3600)) as server:
            with self.assertRaises(ProblemError) as caught:
                client(server).tasks.get("t")
            self.assertEqual((caught.exception.retry_after, len(server.asked)), (3600, 1))

    def test_a_deletion_whose_answer_was_lost_is_one(self) -> None:
        with Scripted(cut, problem(404, "not_found")) as server:
            client(server).tasks.delete("t")
            with self.assertRaises(ProblemError):
                client(server).tasks.delete("t")

    def test_problems_are_told_with_their_fields(self) -> None:
        errors = [{"field": "extras.method", "message": "must be …"}]
        body = {"status": 400, "code": "bad_extras", "title": "Bad", "detail": "It is wrong.", "errors": errors}
        with Scripted(answers(400, body, x_request_id="r-1"), lambda h: h.answer(302, location="http://a/")) as server:
            with self.assertRaises(ProblemError) as caught:
                client(server).tasks.get("t")
            told = caught.exception
            self.assertEqual((told.code, told.status, str(told)), ("bad_extras", 400, "It is wrong."))
            self.assertEqual((told.errors, told.request_id), (errors, "r-1"))
            with self.assertRaises(ProblemError) as caught:
                client(server).tasks.get("t")
            self.assertEqual((caught.exception.code, len(server.asked)), ("unexpected_answer", 2))

    def test_a_silent_service_is_given_up(self) -> None:
        with Scripted(lambda _handler: time.sleep(1)) as server:
            with self.assertRaises(TimedOut):
                client(server, timeout=0.1, retries=0).tasks.get("t")

    def test_what_a_service_that_refuses_a_large_body_early_says_is_told(self) -> None:
        class Early(Scripted):
            def step(self, handler: Any) -> None:
                problem(413, "too_large")(handler)
                # The answer is there before the connection is reset under the client that still sends.
                time.sleep(0.3)
                handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                handler.rfile.close()
                handler.connection.close()

        with Early(cut) as server:
            with self.assertRaises(ProblemError) as caught:
                client(server, retries=0).tasks.create("c", bytes(50_000_000), upload_from_bytes=float("inf"))
            self.assertEqual(caught.exception.code, "too_large")

    def test_a_list_goes_from_page_to_page_and_never_for_ever(self) -> None:
        pages = [answers(200, {"items": [1, 2], "next_cursor": "a"}), answers(200, {"items": [3], "next_cursor": None})]
        with Scripted(*pages) as server:
            self.assertEqual(list(client(server).activities.list(limit=2)), [1, 2, 3])
            self.assertEqual(server.asked, ["GET /api/activity/?limit=2", "GET /api/activity/?limit=2&cursor=a"])
        with Scripted(answers(200, {"items": [1], "next_cursor": "a"})) as server:
            with self.assertRaises(KeepsakeError):
                list(client(server).activities.list())

    def test_bad_options_are_told_at_once(self) -> None:
        for url, token in (("ftp://a", "x"), ("nonsense", "x"), ("http://u:p@a", "x"), ("http://a", "")):
            with self.assertRaises(KeepsakeError):
                Keepsake(url, token)
        with self.assertRaises(KeepsakeError):
            Keepsake("http://a", "x").tasks.create("c", b"", url="https://a")
        with self.assertRaises(KeepsakeError):
            Keepsake("http://a", "x").tasks.create("c", 5)  # type: ignore[arg-type]

    def test_a_download_that_breaks_off_goes_on(self) -> None:
        file = b"0123456789" * 1000

        def first(handler: Any) -> None:
            handler.send_response(200)
            handler.send_header("content-length", str(len(file)))
            handler.send_header("etag", '"e"')
            handler.end_headers()
            handler.wfile.write(file[:4000])
            handler.cut()

        def rest(handler: Any) -> None:
            start = int(handler.headers["range"][len("bytes=") : -1])
            handler.answer(206, file[start:], etag='"e"')

        with Scripted(first, rest) as server, tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "file")
            client(server).tasks.download("t", 0).save(path)
            with open(path, "rb") as saved:
                self.assertEqual(saved.read(), file)
            self.assertEqual(os.listdir(folder), ["file"])
        with Scripted(first, lambda handler: handler.answer(206, file[4000:], etag='"other"')) as server:
            with self.assertRaises(KeepsakeError) as caught:
                client(server).tasks.download("t", 0).read()
            self.assertEqual(caught.exception.code, "changed_meanwhile")


class Events(unittest.TestCase):
    def stream(self, text: str) -> Any:
        return lambda handler: handler.answer(200, text.encode(), content_type="text/event-stream")

    def test_events_go_on_after_a_break_and_end_with_the_task(self) -> None:
        first = ': hello\r\n\r\nevent: entry\nid: 3\ndata: {"index":\ndata: 0}\n\nevent: entry\nid: 4\ndata: {"lost'
        last = 'event: later\ndata: {}\n\nevent: end\nid: 9\ndata: {"status":"Succeeded"}\n\n'
        with Scripted(self.stream(first), problem(503, "unavailable"), self.stream(last)) as server:
            told = list(client(server).tasks.events("t"))
            self.assertEqual(told, [{"type": "entry", "entry": {"index": 0}}, {"type": "end", "status": "Succeeded"}])
            self.assertEqual([headers.get("last-event-id") for headers, _ in server.received], [None, "3", "3"])

    def test_streams_that_bring_nothing_are_given_up(self) -> None:
        with Scripted(self.stream("")) as server:
            with self.assertRaises(ConnectionFailed):
                list(client(server, retries=1).tasks.events("t"))

    def test_a_list_tells_of_breaks(self) -> None:
        with Scripted(self.stream('event: changed\ndata: {"task_ids":["a"]}\n\n')) as server:
            events = client(server).events()
            self.assertEqual([next(events)["type"] for _ in range(3)], ["changed", "missed", "changed"])

    def test_waiting_does_without_events_and_has_an_end(self) -> None:
        running = answers(200, {**TASK, "status": "Running"})
        limit = problem(429, "token_limit", retry_after=0)
        with Scripted(running, limit, running, limit, answers(200, {**TASK, "status": "Failed"})) as server:
            self.assertEqual(client(server).tasks.wait("t")["status"], "Failed")
        with Scripted(running) as server:
            with self.assertRaises(TimedOut):
                client(server).tasks.wait("t", wait=0.5)


class Uploads(unittest.TestCase):
    data = os.urandom(300_000)

    def test_cuts_lost_answers_and_locks_are_gone_over(self) -> None:
        told: List[int] = []
        with Tus() as server:
            server.faults = [40_000, None, "unanswered", problem(423, "locked"), problem(503, "full", retry_after=0)]
            upload = client(server).upload(self.data, chunk_bytes=100_000, progress=lambda done, _all: told.append(done))
            self.assertEqual(upload, {"upload_id": "upload-1", "bytes": 300_000})
            self.assertEqual(server.uploads["upload-1"][1], self.data)
            self.assertEqual((told[0], told[-1]), (0, 300_000))
            self.assertEqual(told, sorted(told))

    def test_an_upload_that_stops_says_its_id_and_is_gone_on_with(self) -> None:
        with Tus() as server, tempfile.NamedTemporaryFile() as file:
            file.write(self.data)
            file.flush()
            server.faults = [None] + [0] * 9
            with self.assertRaises(UploadInterrupted) as caught:
                client(server, retries=0).upload(file.name, chunk_bytes=100_000)
            server.faults = []
            told: List[int] = []
            for resume in (caught.exception.upload_id, f"{server.url}/api/upload/upload-1", "https://evil/upload-1/"):
                client(server).upload(file.name, resume=resume, progress=lambda done, _all: told.append(done))
            self.assertEqual(told, [100_000, 300_000, 300_000, 300_000])
            self.assertEqual(server.uploads, {"upload-1": (300_000, self.data)})
            with self.assertRaises(KeepsakeError):
                client(server).upload(b"x", resume="upload-1")
            client(server).upload(file.name, resume="upload-77")
            self.assertEqual(server.uploads["upload-2"][1], self.data)
            client(server).uploads.delete("upload-2")
            self.assertEqual(list(server.uploads), ["upload-1"])

    def test_what_is_refused_is_told(self) -> None:
        with Tus() as server:
            server.faults = [problem(413, "too_large")]
            with self.assertRaises(ProblemError):
                client(server).upload(self.data)
            for resume in ("..", "", "a b"):
                with self.assertRaises(KeepsakeError):
                    client(server).upload(self.data, resume=resume)

    def test_large_files_go_ahead_where_the_service_takes_them(self) -> None:
        with Tus() as server:
            client(server).tasks.create("c", self.data, upload_from_bytes=1)
            client(server).tasks.create("c", b"small")
            members: Any = [{"configuration": "a", "file": self.data}, {"configuration": "b", "input": "a"}]
            client(server).groups.create(members, upload_from_bytes=1)
            large, small, group = server.others
            self.assertIn(b'name="data_upload"\r\n\r\nupload-1\r\n', large)
            self.assertIn(b"small", small)
            self.assertIn(b'name="a_data_upload"\r\n\r\nupload-2\r\n', group)
        with Tus(is_served=False) as server:
            keepsake = client(server)
            for _ in range(2):
                keepsake.tasks.create("c", self.data, upload_from_bytes=1)
            self.assertEqual(server.asked, ["POST /api/upload/", "POST /api/task/", "POST /api/task/"])
            self.assertTrue(all(self.data in body for body in server.others))
            with self.assertRaises(KeepsakeError):
                keepsake.upload(self.data)

    def test_a_stream_that_can_be_read_once_is_sent_again_all_the_same(self) -> None:
        class Once(io.RawIOBase):
            def __init__(self, data: bytes) -> None:
                self._rest = io.BytesIO(data)

            def readable(self) -> bool:
                return True

            def read(self, size: int = -1) -> bytes:
                return self._rest.read(size)

        with Scripted(cut, answers(202, TASK)) as server:
            client(server).tasks.create("c", Once(self.data))  # type: ignore[arg-type]
            self.assertTrue(all(self.data in body for _headers, body in server.received))

    def test_a_large_file_is_not_read_into_memory(self) -> None:
        import tracemalloc

        with Scripted(answers(202, TASK)) as server, tempfile.NamedTemporaryFile() as file:
            file.truncate(30_000_000)

            def counts(handler: Any) -> None:
                left = int(handler.headers["content-length"])
                while left > 0:
                    left -= len(handler.rfile.read(min(left, 65_536)))
                answers(202, TASK)(handler)

            server.step = counts  # type: ignore[method-assign]
            tracemalloc.start()
            client(server).tasks.create("c", file.name, upload_from_bytes=float("inf"))
            _now, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            self.assertLess(peak, 5_000_000)


class Callbacks(unittest.TestCase):
    secret = "whsec_" + base64.b64encode(b"a secret of twenty-four b").decode()
    other = "whsec_" + base64.b64encode(b"not the secret of anybody").decode()
    body = '{"task_id":"…","configuration":"c","status":"Succeeded","results":[]}'.encode()

    def headers(self, *secrets: str, at: int = 1_794_712_200) -> Any:
        def signed(secret: str) -> str:
            key = base64.b64decode(secret[len("whsec_") :])
            return "v1," + base64.b64encode(hmac.new(key, f"id.{at}.".encode() + self.body, hashlib.sha256).digest()).decode()

        return {"Webhook-Id": "id", "Webhook-Timestamp": str(at), "Webhook-Signature": " ".join(map(signed, secrets))}

    def test_ours_are_known(self) -> None:
        for secrets, known in (([self.secret], self.secret), ([self.other, self.secret], self.secret)):
            told = verify_callback(self.headers(*secrets), self.body, known, now=1_794_712_200)
            self.assertEqual((told.id, told.event, told.body["status"]), ("id", "task", "Succeeded"))
        headers = {**self.headers(self.secret), "keepsake-event": "check", "keepsake-experience": "a%20%C3%BC"}
        told = verify_callback(headers, self.body, [self.other, self.secret], now=1_794_712_200)
        self.assertEqual((told.event, told.experience_id), ("check", "a ü"))

    def test_others_are_refused(self) -> None:
        good = self.headers(self.secret)
        cases = [
            (self.headers(self.other), self.body),
            (good, self.body.replace(b"Succ", b"Fail")),
            ({**good, "Webhook-Id": "x"}, self.body),
            ({**good, "Webhook-Timestamp": "soon"}, self.body),
            ({**good, "Webhook-Timestamp": "１７９４７１２２００"}, self.body),
            ({**good, "Webhook-Signature": "v1,&&&&"}, self.body),
            ({**good, "Webhook-Signature": good["Webhook-Signature"].replace("v1", "v2")}, self.body),
            (self.headers(self.secret, at=1_794_711_000), self.body),
            (self.headers(self.secret, at=1_794_713_400), self.body),
            ({}, self.body),
        ]
        for headers, body in cases:
            with self.assertRaises(BadCallback):
                verify_callback(headers, body, self.secret, now=1_794_712_200)
        for secret in ("whsec_", [], "whsec_&&"):
            with self.assertRaises(ValueError):
                verify_callback(good, self.body, secret, now=1_794_712_200)


if __name__ == "__main__":
    unittest.main()
