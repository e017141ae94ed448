"""Everything else that the service keeps: configurations, assets, guests, callbacks, experiences, tokens, the record of changes."""
from __future__ import annotations

from typing import Any, Dict, Generic, Iterator, List, Mapping, Optional, TypeVar, Union, cast

from . import types
from ._connection import Connection, in_path
from ._files import Download, FileInput, Progress
from ._pages import items_of
from ._uploads import Parts, Uploads

T = TypeVar("T")


def _if_match(etag: Optional[str]) -> Dict[str, Optional[str]]:
    return {"if-match": etag}


class _Readable(Generic[T]):
    """What can be listed and read one by one."""

    _path = ""

    def __init__(self, connection: Connection, uploads: Uploads) -> None:
        self._connection = connection
        self._uploads = uploads

    def _of(self, name: str) -> str:
        return f"{self._path}{in_path(name)}/"

    def list(self, **filters: Any) -> Iterator[T]:
        """Newest first. ``limit`` is the size of a page; further pages are fetched when they are needed."""
        return items_of(self._connection, self._path, filters)

    def get(self, name: str) -> T:
        return cast(T, self._connection.json("GET", self._of(name)))

    def etag(self, name: str) -> Optional[str]:
        """The version that a write names as ``if_match``, so that it meets no change of others: 412 otherwise."""
        _status, headers, _body = self._connection.whole("GET", self._of(name))
        return cast(Optional[str], headers.get("etag"))


class _Versioned(_Readable[T]):
    """What keeps its earlier versions, and can be had back for a while after it was deleted."""

    def delete(self, name: str, *, if_match: Optional[str] = None) -> None:
        self._connection.whole("DELETE", self._of(name), headers=_if_match(if_match))

    def undelete(self, name: str) -> T:
        """Brings back what was deleted within 30 days."""
        return cast(T, self._connection.json("POST", f"{self._of(name)}undelete/"))

    def versions(self, name: str, **page: Any) -> Iterator[Dict[str, Any]]:
        return items_of(self._connection, f"{self._of(name)}versions/", page)

    def restore(self, name: str, version: Union[int, str]) -> T:
        """Makes an earlier version the current one."""
        return cast(T, self._connection.json("POST", f"{self._of(name)}versions/{in_path(str(version))}/restore/"))


class Configurations(_Versioned[types.Configuration]):
    _path = "/api/configuration/"

    def create(self, configuration: Mapping[str, Any], *, dry_run: bool = False) -> types.Configuration:
        """With ``dry_run`` every check runs and nothing is stored."""
        return self._save("POST", self._path, configuration, dry_run, None)

    def replace(
        self, name: str, configuration: Mapping[str, Any], *, dry_run: bool = False, if_match: Optional[str] = None
    ) -> types.Configuration:
        """Makes it what is given, whole."""
        return self._save("PUT", self._of(name), configuration, dry_run, if_match)

    def change(
        self, name: str, patch: Mapping[str, Any], *, dry_run: bool = False, if_match: Optional[str] = None
    ) -> types.Configuration:
        """A merge patch: objects are merged, None removes, everything else replaces."""
        return self._save("PATCH", self._of(name), patch, dry_run, if_match)

    def _save(
        self, method: str, path: str, body: Mapping[str, Any], dry_run: bool, if_match: Optional[str]
    ) -> types.Configuration:
        query = {"dry_run": True if dry_run else None}
        saved = self._connection.json(method, path, json=body, query=query, headers=_if_match(if_match))
        return cast(types.Configuration, saved)

    def check(self, name: str) -> List[Dict[str, Any]]:
        """Tries options, assets, destinations and the webhook before the doors open."""
        return cast(List[Dict[str, Any]], self._connection.json("POST", f"{self._of(name)}check/")["lines"])

    def preview(
        self, name: str, file: FileInput, *, extras: Optional[Mapping[str, Any]] = None, full: bool = False
    ) -> bytes:
        """What it makes of a file, at once; destinations are left out."""
        parts = Parts(self._connection, self._uploads).json("extras", extras).file("data", file)
        return parts.fetch("POST", f"{self._of(name)}preview/", {"full": True if full else None})


class Assets(_Versioned[types.Asset]):
    _path = "/api/asset/"

    def create(
        self, name: str, file: FileInput, *, experience_id: Optional[str] = None, progress: Optional[Progress] = None
    ) -> types.Asset:
        parts = Parts(self._connection, self._uploads).text("name", name).text("experience_id", experience_id)
        return cast(types.Asset, parts.file("file", file).send("POST", self._path, progress=progress))

    def replace(self, name: str, file: FileInput, *, if_match: Optional[str] = None) -> types.Asset:
        """Tasks that were accepted before keep the file of before."""
        parts = Parts(self._connection, self._uploads).file("file", file)
        return cast(types.Asset, parts.send("PUT", self._of(name), headers=_if_match(if_match)))

    def download(self, name: str) -> Download:
        return Download(self._connection, f"{self._of(name)}file/")


class Profiles(_Readable[types.Profile]):
    _path = "/api/profile/"

    def create(self, **profile: Any) -> types.Profile:
        return cast(types.Profile, self._connection.json("POST", self._path, json=profile))

    def change(self, profile_id: str, patch: Mapping[str, Any], *, if_match: Optional[str] = None) -> types.Profile:
        changed = self._connection.json("PATCH", self._of(profile_id), json=patch, headers=_if_match(if_match))
        return cast(types.Profile, changed)

    def delete(
        self, profile_id: str, *, media: Optional[str] = None, shared: Optional[str] = None, if_match: Optional[str] = None
    ) -> Optional[types.Erasure]:
        """Erases the person. With ``media="retract"`` what was made and delivered is taken back, and the answer tells what became of it."""
        query = {"media": media, "shared": shared}
        erased = self._connection.json("DELETE", self._of(profile_id), query=query, headers=_if_match(if_match))
        return cast(Optional[types.Erasure], erased)


class Erasures:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, erasure_id: str) -> types.ErasureReceipt:
        """The signed receipt as it is now; it grows until all targets are reached or given up."""
        path = f"/api/erasure/{in_path(erasure_id)}/"
        return cast(types.ErasureReceipt, self._connection.json("GET", path))

    def key(self) -> types.ErasureKey:
        """The public key that proves receipts."""
        return cast(types.ErasureKey, self._connection.json("GET", "/api/erasure/key/"))


class Activities(_Readable[types.Activity]):
    _path = "/api/activity/"


class Callbacks(_Readable[types.Callback]):
    _path = "/api/callback/"

    def resend(self, callback_id: str) -> types.Callback:
        """Sends it again: the same id, the same body."""
        return cast(types.Callback, self._connection.json("POST", f"{self._of(callback_id)}resend/"))

    def resend_many(self, *, dry_run: bool = False, **filters: Any) -> Dict[str, int]:
        """Sends all again that the filter finds; without a status those that were given up."""
        body = {**filters, **({"dry_run": True} if dry_run else {})}
        return cast(Dict[str, int], self._connection.json("POST", f"{self._path}resend/", json=body, repeatable=dry_run))


class Experiences(_Readable[types.Experience]):
    _path = "/api/experience/"

    def create(self, experience_id: str, **settings: Any) -> types.Experience:
        body = {"experience_id": experience_id, **settings}
        return cast(types.Experience, self._connection.json("POST", self._path, json=body))

    def change(
        self, experience_id: str, patch: Mapping[str, Any], *, if_match: Optional[str] = None
    ) -> types.Experience:
        changed = self._connection.json("PATCH", self._of(experience_id), json=patch, headers=_if_match(if_match))
        return cast(types.Experience, changed)

    def rotate_secret(self, experience_id: str) -> types.Experience:
        """Makes a new webhook secret; for 24 hours both sign."""
        return cast(types.Experience, self._connection.json("POST", f"{self._of(experience_id)}rotate-secret/"))


class Tokens(_Readable[types.Token]):
    _path = "/api/token/"

    def create(self, name: str, scopes: List[str], **more: Any) -> types.NewToken:
        """The answer holds the token itself, this once."""
        body = {"name": name, "scopes": scopes, **more}
        return cast(types.NewToken, self._connection.json("POST", self._path, json=body))

    def delete(self, token_id: str) -> None:
        self._connection.whole("DELETE", self._of(token_id))


class Adapters(_Readable[types.Adapter]):
    _path = "/api/adapter/"

    def fonts(self) -> Iterator[types.Font]:
        """The fonts that their texts can be set in."""
        return cast(Iterator[types.Font], items_of(self._connection, "/api/font/", {}))


class Audit:
    """Who changed what, and when."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(self, **filters: Any) -> Iterator[Dict[str, Any]]:
        return items_of(self._connection, "/api/audit/", filters)
