"""Tells callbacks of Keepsake from what others post, as Standard Webhooks describes it."""
from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union
from urllib.parse import unquote

from .errors import BadCallback

_MOST_SIGNATURES = 16


@dataclass(frozen=True)
class Callback:
    #: The same at every attempt: whoever knows it already has had this callback.
    id: str
    sent_at: datetime
    #: ``task``, ``taskgroup``, ``check`` (a test before the doors open) or ``other``.
    event: str
    #: The experience, where the service tells it.
    experience_id: Optional[str]
    body: Dict[str, Any]


def verify_callback(
    headers: Mapping[str, str],
    body: Union[bytes, str],
    secret: Union[str, Sequence[str]],
    tolerance: float = 300,
    now: Optional[float] = None,
) -> Callback:
    """Answers the callback, or raises ``BadCallback``.

    ``body`` are the bytes as they came, before any parsing. Several secrets may be given: during a rotation, or where several
    experiences post to one address.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    given = [lower.get(name) for name in ("webhook-id", "webhook-timestamp", "webhook-signature")]
    if not all(given):
        raise BadCallback("A header of the signature is missing.")
    callback_id, timestamp, header = (str(value) for value in given)
    if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= 12):
        raise BadCallback("The time of the callback is none.")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise BadCallback("The callback is too old, or the clocks differ.")
    raw = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{callback_id}.{timestamp}.".encode() + raw
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets:
        raise ValueError("secret: at least one is needed")
    signatures = _signatures_of(header)
    is_good = False
    # All are looked at, so that the time tells nothing.
    for each in secrets:
        expected = hmac.new(_key_of(each), signed, hashlib.sha256).digest()
        for one in signatures:
            is_good |= hmac.compare_digest(expected, one)
    if not is_good:
        raise BadCallback("No signature fits.")
    told = json.loads(raw)
    experience = lower.get("keepsake-experience")
    return Callback(
        id=callback_id,
        sent_at=datetime.fromtimestamp(int(timestamp), timezone.utc),
        event=_event_of(lower.get("keepsake-event"), told),
        experience_id=None if experience is None else unquote(experience),
        body=told,
    )


def _event_of(told: Optional[str], body: Mapping[str, Any]) -> str:
    if told is None and isinstance(body.get("results"), list):
        return "task" if "configuration" in body else "taskgroup"
    return told if told in ("task", "taskgroup", "check") else "other"


def _signatures_of(header: str) -> List[bytes]:
    found = []
    for part in header.split(" ")[:_MOST_SIGNATURES]:
        version, _, value = part.partition(",")
        try:
            if version == "v1":
                found.append(base64.b64decode(value, validate=True))
        except (binascii.Error, ValueError):
            continue
    return found


def _key_of(secret: str) -> bytes:
    text = secret[len("whsec_") :] if secret.startswith("whsec_") else secret
    try:
        key = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError("secret: must be like whsec_…")
    return key
