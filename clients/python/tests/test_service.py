"""The client against the running service at KEEPSAKE_URL: every verb, as a caller uses it."""
from __future__ import annotations

import io
import os
import pathlib
import tempfile
import unittest
from typing import Any, List

from keepsake import Keepsake, ProblemError, TaskFailed

PHOTO = os.environ.get("PHOTO", "")


def single(name: str, adapter: str, **defaults: Any) -> Any:
    config = {"auth": {}, "defaults": defaults}
    return {"configuration_name": name, "experience_id": "py", "adapter_name": adapter, "adapter_config": config}


@unittest.skipUnless("KEEPSAKE_URL" in os.environ, "KEEPSAKE_URL names no service")
class Service(unittest.TestCase):
    keepsake: Keepsake

    @classmethod
    def setUpClass(cls) -> None:
        cls.keepsake = Keepsake(os.environ["KEEPSAKE_URL"], lambda: os.environ["KEEPSAKE_TOKEN"])
        cls.keepsake.configurations.create(single("py turn", "photo_flip", method="ROTATE_90"))
        cls.keepsake.configurations.create(single("py small", "photo_resize", width=20))

    def test_a_file_is_run_whatever_it_is_given_as(self) -> None:
        with open(PHOTO, "rb") as file:
            data = file.read()
            file.seek(0)
            for given in (PHOTO, pathlib.Path(PHOTO), data, file, io.BytesIO(data)):
                result = self.keepsake.run(given, "py turn", extras={"rfid": ["nobody ü"]})
                self.assertEqual(result.task["status"], "Succeeded")
                self.assertGreater(len(result.read()), 100)

    def test_progress_events_and_files(self) -> None:
        told: List[str] = []
        result = self.keepsake.run(
            PHOTO,
            configuration="py small",
            progress=lambda done, total: told.append(f"up {done == total}"),
            on_event=lambda event: told.append(event["type"]),
        )
        self.assertEqual((told[-2 if told[-1] == "end" else -1] != "", "up True" in told), (True, True))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "small.png")
            result.save(path)
            self.assertEqual(os.listdir(folder), ["small.png"])
        with open(PHOTO, "rb") as file:
            self.assertEqual(self.keepsake.tasks.input(result.task).read(), file.read())
        self.assertEqual([e["type"] for e in self.keepsake.tasks.events(result.task)][-1], "end")
        self.assertEqual(self.keepsake.tasks.retract(result.task), {"removed": [], "kept": []})
        with self.assertRaises(ProblemError) as caught:
            result.read()
        self.assertEqual(caught.exception.code, "gone")

    def test_a_group_runs_in_order(self) -> None:
        result = self.keepsake.run_group(
            [
                {"configuration": "py turn", "file": PHOTO},
                {"configuration": "py small", "input": "py turn", "extras": {"width": 10}},
            ]
        )
        self.assertEqual([task["status"] for task in result.group["tasks"]], ["Succeeded", "Succeeded"])
        self.assertEqual([len(output.read()) > 50 for output in result.outputs], [True, True])
        self.assertGreater(len(self.keepsake.groups.download(result.group, 1, 0).read()), 50)
        self.assertGreater(len(self.keepsake.groups.input(result.group, 0).read()), 50)
        self.assertEqual(next(self.keepsake.groups.list())["task_id"], result.group["task_id"])

    def test_a_task_that_fails_is_run_again_with_another_file(self) -> None:
        with self.assertRaises(TaskFailed) as caught:
            self.keepsake.run(b"no picture", "py turn")
        task = caught.exception.task
        self.keepsake.tasks.retry(task, file=PHOTO)
        self.assertEqual(self.keepsake.tasks.wait(task)["status"], "Succeeded")
        for verb in (self.keepsake.tasks.retry, self.keepsake.tasks.cancel):
            with self.assertRaises(ProblemError) as refused:
                verb(task)
            self.assertEqual(refused.exception.code, "wrong_state")

    def test_the_same_key_makes_one_task(self) -> None:
        made = [self.keepsake.tasks.create("py small", PHOTO, idempotency_key="py-1")["task_id"] for _ in range(2)]
        self.assertEqual(made[0], made[1])
        self.keepsake.tasks.wait(made[0])
        listed = [task["task_id"] for task in self.keepsake.tasks.list(configuration="py small", limit=1)]
        self.assertIn(made[0], listed)
        self.assertEqual(len(listed), len(set(listed)))

    def test_configurations(self) -> None:
        configurations = self.keepsake.configurations
        more = single("py more", "photo_flip", method="ROTATE_180")
        configurations.create(more, dry_run=True)
        with self.assertRaises(ProblemError):
            configurations.get("py more")
        configurations.create(more)
        self.assertTrue(all(line["ok"] for line in configurations.check("py more")))
        self.assertGreater(len(configurations.preview("py more", PHOTO, full=True)), 100)
        configurations.change("py more", {"adapter_config": {"defaults": {"method": "ROTATE_90"}}})
        configurations.replace("py more", more)
        self.assertEqual(configurations.get("py more")["adapter_config"]["defaults"], {"method": "ROTATE_180"})
        configurations.delete("py more")
        with self.assertRaises(ProblemError) as caught:
            configurations.create(single("py more", "photo_flip", method="UP"))
        self.assertEqual(caught.exception.errors[0]["field"], "adapter_config.defaults.method")

    def test_everything_else(self) -> None:
        keepsake = self.keepsake
        keepsake.assets.create("py ü.png", PHOTO, experience_id="py")
        keepsake.assets.replace("py ü.png", PHOTO)
        with open(PHOTO, "rb") as file:
            self.assertEqual(keepsake.assets.download("py ü.png").read(), file.read())
        keepsake.assets.delete("py ü.png")
        guest = keepsake.profiles.create(rfid="py-04A2", experience_id="py")
        self.assertEqual([each["profile_id"] for each in keepsake.profiles.list(rfid="py-04A2")], [guest["profile_id"]])
        self.assertEqual(keepsake.profiles.change(guest["profile_id"], {"rfid": []})["rfid"], [])
        self.assertIsNone(keepsake.profiles.delete(guest["profile_id"]))
        self.assertEqual(keepsake.experiences.change("py", {"name": "Py"})["name"], "Py")
        self.assertTrue(keepsake.experiences.rotate_secret("py")["webhook_secret"].startswith("whsec_"))
        token = keepsake.tokens.create("py", ["read"], experiences=["py"])
        booth = Keepsake(os.environ["KEEPSAKE_URL"], token["token"])
        self.assertEqual(booth.session()["experiences"], ["py"])
        with self.assertRaises(ProblemError) as caught:
            booth.tokens.get(token["token_id"])
        self.assertEqual((caught.exception.status, caught.exception.code), (403, "forbidden"))
        keepsake.tokens.delete(token["token_id"])
        self.assertEqual(keepsake.adapters.get("photo_flip")["kind"], "transformer")
        self.assertEqual(keepsake.stats("day")["window"], "day")
        self.assertEqual(list(keepsake.activities.list(experience_id="py")), [])
        self.assertEqual(list(keepsake.callbacks.list(experience_id="py")), [])
        self.assertEqual(keepsake.callbacks.resend_many(experience_id="py")["resent"], 0)
        self.assertEqual(keepsake.request("GET", "/api/stats/")["window"], "hour")


if __name__ == "__main__":
    unittest.main()
