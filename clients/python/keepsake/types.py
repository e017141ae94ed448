"""Types of what the service takes and answers. Made from the OpenAPI document of the service. Write it anew with: KEEPSAKE_WRITE_DOCS=1 node --test test/clients/types.test.ts"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


class Activity(TypedDict):
    activity_id: str
    owner_id: str
    experience_id: str
    activity_type: str
    flow_id: str
    payload: Dict[str, Any]
    created_at: str


class ActivityFilters(TypedDict, total=False):
    owner_id: str
    experience_id: str
    activity_type: str
    task_id: str


class AdapterAssetParameters(TypedDict):
    name: str
    accepts: List[Literal["image", "video", "audio", "file"]]
    list: bool


class Adapter(TypedDict):
    adapter_name: str
    kind: Literal["transformer", "destination"]
    summary: str
    accepts: List[Literal["image", "video", "audio", "file"]]
    makes: Literal["image", "video", "audio", "file", "same"]
    defaults_schema: Dict[str, Any]
    auth_schema: Dict[str, Any]
    asset_parameters: List[AdapterAssetParameters]


class Asset(TypedDict):
    name: str
    experience_id: str
    mime: str
    bytes: int
    sha256: str
    width: Optional[int]
    height: Optional[int]
    duration: Optional[float]
    used_by: List[str]
    created_at: str
    updated_at: str


class AssetFilters(TypedDict, total=False):
    experience_id: str


class CallbackAttempts(TypedDict):
    at: str
    status_code: Optional[int]
    error: Optional[str]
    duration_ms: int


class Callback(TypedDict):
    callback_id: str
    task_id: str
    url: str
    status: Literal["Waiting", "Delivered", "GivenUp"]
    body: Dict[str, Any]
    attempts: List[CallbackAttempts]
    next_attempt_at: Optional[str]
    created_at: str
    updated_at: str


class CallbackFilters(TypedDict, total=False):
    task_id: str
    status: Literal["Waiting", "Delivered", "GivenUp"]
    experience_id: str


class ConfigurationAdapterConfig(TypedDict):
    """Of a single configuration."""
    auth: Dict[str, Any]
    defaults: Dict[str, Any]


class ConfigurationActivityConfigPayload(TypedDict):
    """Merged into the payload of the activity."""
    object_id: str


class ConfigurationActivityConfig(TypedDict):
    """When it is there, an activity is created after the task finishes."""
    experience_id: str
    activity_type: str
    payload: ConfigurationActivityConfigPayload


class _Configuration(TypedDict):
    configuration_name: str
    experience_id: str
    kind: Literal["transformer", "destination", "chain"]
    created_at: str
    updated_at: str


class Configuration(_Configuration, total=False):
    adapter_name: str
    adapter_config: ConfigurationAdapterConfig
    activity_config: ConfigurationActivityConfig
    call_chain: List[List[Any]]
    webhook_url: str


class ConfigurationFilters(TypedDict, total=False):
    experience_id: str
    adapter_name: str
    kind: Literal["transformer", "destination", "chain"]


class ConfigurationInputAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape; stored and returned as the plain one."""
    auth: Dict[str, Any]
    defaults: Dict[str, Any]


class ConfigurationInputAdapterConfig(TypedDict, total=False):
    """Credentials and default options of the adapter."""
    auth: Dict[str, Any]
    defaults: Dict[str, Any]
    adapter_config: ConfigurationInputAdapterConfigAdapterConfig


class ConfigurationInputActivityConfigPayload(TypedDict):
    """Merged into the payload of the activity."""
    object_id: str


class ConfigurationInputActivityConfig(TypedDict):
    """When it is there, an activity is created after the task finishes."""
    experience_id: str
    activity_type: str
    payload: ConfigurationInputActivityConfigPayload


class _ConfigurationInput(TypedDict):
    configuration_name: str
    experience_id: str


class ConfigurationInput(_ConfigurationInput, total=False):
    """Has either `adapter_name` (a single configuration) or `call_chain` (a chain)."""
    adapter_name: str
    adapter_config: ConfigurationInputAdapterConfig
    activity_config: Optional[ConfigurationInputActivityConfig]
    call_chain: List[List[Any]]
    webhook_url: Optional[str]
    kind: Literal["transformer", "destination", "chain"]
    created_at: str
    updated_at: str


class ConfigurationPatch(TypedDict, total=False):
    """A JSON merge patch (RFC 7396): objects are merged, null removes, everything else replaces."""
    configuration_name: Any
    experience_id: Any
    adapter_name: Any
    adapter_config: Any
    activity_config: Any
    call_chain: Any
    webhook_url: Any
    kind: Any
    created_at: Any
    updated_at: Any


class ConfigurationReplacementAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape; stored and returned as the plain one."""
    auth: Dict[str, Any]
    defaults: Dict[str, Any]


class ConfigurationReplacementAdapterConfig(TypedDict, total=False):
    """Credentials and default options of the adapter."""
    auth: Dict[str, Any]
    defaults: Dict[str, Any]
    adapter_config: ConfigurationReplacementAdapterConfigAdapterConfig


class ConfigurationReplacementActivityConfigPayload(TypedDict):
    """Merged into the payload of the activity."""
    object_id: str


class ConfigurationReplacementActivityConfig(TypedDict):
    """When it is there, an activity is created after the task finishes."""
    experience_id: str
    activity_type: str
    payload: ConfigurationReplacementActivityConfigPayload


class _ConfigurationReplacement(TypedDict):
    experience_id: str


class ConfigurationReplacement(_ConfigurationReplacement, total=False):
    """Has either `adapter_name` (a single configuration) or `call_chain` (a chain)."""
    configuration_name: str
    adapter_name: str
    adapter_config: ConfigurationReplacementAdapterConfig
    activity_config: Optional[ConfigurationReplacementActivityConfig]
    call_chain: List[List[Any]]
    webhook_url: Optional[str]
    kind: Literal["transformer", "destination", "chain"]
    created_at: str
    updated_at: str


class EntryError(TypedDict):
    code: str
    message: str


class EntryOutput(TypedDict):
    mime: str
    width: Optional[int]
    height: Optional[int]
    duration: Optional[float]
    bytes: Optional[int]
    sha256: Optional[str]


class Entry(TypedDict):
    index: int
    configuration: str
    adapter_name: str
    input_idx: Optional[int]
    status: Literal["Waiting", "Running", "Succeeded", "Failed", "Cancelled", "Skipped"]
    progress: float
    seconds_left: Optional[int]
    started_at: Optional[str]
    ended_at: Optional[str]
    retry_at: Optional[str]
    result: Optional[Dict[str, Any]]
    error: Optional[EntryError]
    warnings: List[str]
    output: Optional[EntryOutput]
    explanation: Optional[Dict[str, Any]]


class _Experience(TypedDict):
    experience_id: str
    name: Optional[str]
    max_running: Optional[int]
    retention_days: Optional[int]
    created_at: str
    updated_at: str


class Experience(_Experience, total=False):
    webhook_secret: str


class ExperiencePatch(TypedDict, total=False):
    name: Optional[str]
    max_running: Optional[int]
    retention_days: Optional[int]


class NewToken(TypedDict):
    token_id: str
    name: str
    scopes: List[Literal["read", "tasks", "write", "admin"]]
    experiences: Optional[List[str]]
    expires_at: Optional[str]
    last_used_at: Optional[str]
    limits: Optional[TokenLimits]
    made_by: Optional[str]
    created_at: str
    updated_at: str
    token: str


class _ProblemErrors(TypedDict):
    field: str
    message: str


class ProblemErrors(_ProblemErrors, total=False):
    kind: Literal["required", "unknown", "wrong", "missing"]


class _Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    code: Literal["bad_request", "bad_json", "bad_multipart", "bad_cursor", "bad_extras", "bad_options", "bad_chain", "bad_group", "over_limit", "unknown_configuration", "unknown_adapter", "unknown_asset", "secret_needed", "blocked_url", "unauthorized", "forbidden", "not_found", "method_not_allowed", "in_use", "name_taken", "lookup_taken", "wrong_state", "idempotency_conflict", "idempotency_in_progress", "gone", "too_large", "wrong_content_type", "bad_range", "token_limit", "too_many_requests", "internal", "full", "unavailable", "unsupported_format", "corrupt_input", "too_many_pixels", "too_many_frames", "too_long", "time_limit", "memory_limit", "output_too_large", "policy_blocked", "option_missing", "asset_missing", "tool_missing", "media_failed", "worker_died", "cancelled", "download_failed", "destination_refused", "destination_unreachable", "destination_quota", "outcome_unknown"]


class Problem(_Problem, total=False):
    """RFC 9457 problem details."""
    errors: List[ProblemErrors]
    request_id: str


class Profile(TypedDict):
    profile_id: str
    email: List[str]
    qr_code: List[str]
    rfid: List[str]
    experience_id: Optional[str]
    attributes: Dict[str, Any]
    created_at: str
    updated_at: str


class ProfileFilters(TypedDict, total=False):
    email: str
    qr_code: str
    rfid: str
    experience_id: str


class ProfileInput(TypedDict, total=False):
    email: Optional[Union[str, List[str]]]
    qr_code: Optional[Union[str, List[str]]]
    rfid: Optional[Union[str, List[str]]]
    experience_id: Optional[str]
    attributes: Dict[str, Any]


class ProfilePatch(TypedDict, total=False):
    """A list replaces the list; `attributes` are merged, null removes one."""
    email: Optional[Union[str, List[str]]]
    qr_code: Optional[Union[str, List[str]]]
    rfid: Optional[Union[str, List[str]]]
    experience_id: Optional[str]
    attributes: Dict[str, Any]


class ReceiptRemoved(TypedDict):
    task_id: str
    configuration: str
    index: int
    result: Dict[str, Any]


class ReceiptKept(TypedDict):
    task_id: str
    configuration: str
    index: int
    result: Dict[str, Any]
    reason: str


class _Receipt(TypedDict):
    removed: List[ReceiptRemoved]
    kept: List[ReceiptKept]


class Receipt(_Receipt, total=False):
    profile_id: str


class Session(TypedDict):
    scope: Literal["read", "tasks", "write", "admin"]
    experiences: Optional[List[str]]
    token_id: Optional[str]
    expires_at: Optional[str]


class SessionInput(TypedDict, total=False):
    """Either a token or a code."""
    token: str
    code: str


class StatsLatencyMs(TypedDict):
    """From the request to the callback."""
    p50: Optional[float]
    p95: Optional[float]


class StatsWaiting(TypedDict):
    """Each counted up to 10,000."""
    picture: int
    video: int
    transfer: int
    callback: int


class StatsWorkersDoing(TypedDict):
    task_id: str
    lane: str
    since: str


class StatsWorkers(TypedDict):
    worker_id: str
    host: str
    started_at: str
    doing: List[StatsWorkersDoing]


class StatsDisk(TypedDict):
    """Null for a token that is limited to experiences."""
    free_bytes: float
    total_bytes: float


class StatsFailingDestinations(TypedDict):
    configuration: str
    failed: int
    last_error: Optional[str]


class StatsFailingReceivers(TypedDict):
    receiver: str
    waiting: int
    last_error: Optional[str]


class StatsFailing(TypedDict):
    destinations: List[StatsFailingDestinations]
    receivers: List[StatsFailingReceivers]


class StatsPoints(TypedDict):
    at: str
    succeeded: int
    failed: int
    p50_ms: Optional[float]
    p95_ms: Optional[float]


class Stats(TypedDict):
    window: Literal["hour", "day", "week"]
    tasks_per_minute: float
    success_rate: Optional[float]
    latency_ms: StatsLatencyMs
    waiting: StatsWaiting
    running: int
    workers: Optional[List[StatsWorkers]]
    disk: Optional[StatsDisk]
    failing: StatsFailing
    points: List[StatsPoints]


class Task(TypedDict):
    task_id: str
    chain_id: str
    flow_id: str
    configuration: str
    experience_id: str
    status: Literal["Waiting", "Running", "Succeeded", "Failed", "Cancelled"]
    extras: Dict[str, Any]
    webhook_url: Optional[str]
    warnings: List[str]
    created_at: str
    updated_at: str
    started_at: Optional[str]
    ended_at: Optional[str]
    entries: List[Entry]


class TaskFilters(TypedDict, total=False):
    status: Literal["Waiting", "Running", "Succeeded", "Failed", "Cancelled"]
    configuration: str
    experience_id: str
    profile_id: str
    created_after: str
    created_before: str


class TaskGroupTasks(TypedDict):
    index: int
    configuration: str
    chain_id: str
    status: Literal["Waiting", "Running", "Succeeded", "Failed", "Cancelled"]
    extras: Dict[str, Any]
    entries: List[Entry]


class TaskGroup(TypedDict):
    task_id: str
    flow_id: str
    status: Literal["Waiting", "Running", "Succeeded", "Failed", "Cancelled"]
    configuration_names: List[str]
    experience_id: str
    webhook_url: Optional[str]
    warnings: List[str]
    created_at: str
    updated_at: str
    started_at: Optional[str]
    ended_at: Optional[str]
    tasks: List[TaskGroupTasks]


class TaskGroupFilters(TypedDict, total=False):
    status: Literal["Waiting", "Running", "Succeeded", "Failed", "Cancelled"]
    configuration: str
    experience_id: str
    profile_id: str
    created_after: str
    created_before: str


class Token(TypedDict):
    token_id: str
    name: str
    scopes: List[Literal["read", "tasks", "write", "admin"]]
    experiences: Optional[List[str]]
    expires_at: Optional[str]
    last_used_at: Optional[str]
    limits: Optional[TokenLimits]
    made_by: Optional[str]
    created_at: str
    updated_at: str


class _TokenInput(TypedDict):
    name: str
    scopes: List[Literal["read", "tasks", "write", "admin"]]


class TokenInput(_TokenInput, total=False):
    experiences: Optional[List[str]]
    expires_at: Optional[str]
    limits: Optional[TokenLimitsInput]


class TokenLimits(TypedDict, total=False):
    """Over one of them: 429 `token_limit` with `Retry-After`."""
    requests_per_minute: int
    waiting_tasks: int
    upload_bytes_per_day: int
    streams: int


class TokenLimitsInput(TypedDict, total=False):
    """Over one of them: 429 `token_limit` with `Retry-After`."""
    requests_per_minute: int
    waiting_tasks: int
    upload_bytes_per_day: int
    streams: int

