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
    retracted_at: Optional[str]
    created_at: str


class ActivityConfigPayload(TypedDict):
    """Merged into the payload of the activity."""
    object_id: str


class _ActivityConfig(TypedDict):
    activity_type: str
    payload: ActivityConfigPayload


class ActivityConfig(_ActivityConfig, total=False):
    """When it is there, an activity is created after the task finishes. `experience_id` may be left out of a shared configuration alone: it is that of the task then."""
    experience_id: str


class ActivityFilters(TypedDict, total=False):
    owner_id: str
    experience_id: str
    activity_type: str
    task_id: str


class ActivityList(TypedDict):
    items: List[Activity]
    next_cursor: Optional[str]


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
    one_of: List[str]
    fixed_options: List[str]
    asset_parameters: List[AdapterAssetParameters]


class AdapterList(TypedDict):
    items: List[Adapter]
    next_cursor: None


class AppliedChanges(TypedDict):
    kind: Literal["experience", "asset", "configuration"]
    name: str
    change: Literal["made", "changed", "unchanged", "deleted"]
    before: Optional[Dict[str, Any]]
    after: Optional[Dict[str, Any]]


class Applied(TypedDict):
    changes: List[AppliedChanges]


class ApprovalInput(TypedDict, total=False):
    numbers: List[int]


class _Asset(TypedDict):
    name: str
    experience_id: Optional[str]
    mime: str
    width: Optional[int]
    height: Optional[int]
    duration: Optional[float]
    used_by: List[str]
    created_at: str
    updated_at: str


class Asset(_Asset, total=False):
    bytes: int
    sha256: str


class _AssetFileParts(TypedDict):
    file: str


class AssetFileParts(_AssetFileParts, total=False):
    name: str
    experience_id: str


class AssetFilters(TypedDict, total=False):
    experience_id: str
    shared: Literal["true"]


class AssetList(TypedDict):
    items: List[Asset]
    next_cursor: Optional[str]


class AssetParts(TypedDict):
    name: str
    experience_id: str
    file: str


class _AssetVersionAsset(TypedDict):
    name: str
    experience_id: Optional[str]
    mime: str
    width: Optional[int]
    height: Optional[int]
    duration: Optional[float]


class AssetVersionAsset(_AssetVersionAsset, total=False):
    """What is known of the file."""
    bytes: int
    sha256: str


class AssetVersion(TypedDict):
    version: int
    is_current: bool
    change: Literal["made", "changed", "restored"]
    restored_from: Optional[int]
    changed_by: Optional[ChangedBy]
    created_at: str
    asset: AssetVersionAsset


class AssetVersionList(TypedDict):
    items: List[AssetVersion]
    next_cursor: Optional[str]


class AudioConvertAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: AudioConvertDefaults


class AudioConvertAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `audio_convert`."""
    auth: Dict[str, Any]
    defaults: AudioConvertDefaults
    adapter_config: AudioConvertAdapterConfigAdapterConfig


class AudioConvertDefaults(TypedDict, total=False):
    """Options of `audio_convert`. Converts sound to another format; of a video it takes the sound."""
    format: Literal["mp3", "m4a", "ogg", "wav"]
    bitrate: Literal["64k", "96k", "128k", "160k", "192k", "256k", "320k"]


class AudioNormalizeAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: AudioNormalizeDefaults


class AudioNormalizeAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `audio_normalize`."""
    auth: Dict[str, Any]
    defaults: AudioNormalizeDefaults
    adapter_config: AudioNormalizeAdapterConfigAdapterConfig


class AudioNormalizeDefaults(TypedDict, total=False):
    """Options of `audio_normalize`. Brings sound to a loudness, alone or in a video, whose picture is copied."""
    loudness: float


class AuditEventActor(TypedDict):
    """Who did it, and from where."""
    kind: Literal["token", "session", "command_line", "guest"]
    token_id: Optional[str]
    name: str
    address: Optional[str]


class AuditEvent(TypedDict):
    event_id: str
    action: Literal["create", "update", "delete", "restore", "undelete", "rotate_secret", "cancel", "retry", "retract", "resend", "reissue", "approve", "hide"]
    object: Literal["configuration", "asset", "profile", "experience", "token", "task", "taskgroup", "callback", "keepsake", "wall_key"]
    object_id: str
    experience_id: Optional[str]
    actor: AuditEventActor
    before: Optional[Dict[str, Any]]
    after: Optional[Dict[str, Any]]
    created_at: str


class AuditEventFilters(TypedDict, total=False):
    object: Literal["configuration", "asset", "profile", "experience", "token", "task", "taskgroup", "callback", "keepsake", "wall_key"]
    object_id: str
    action: Literal["create", "update", "delete", "restore", "undelete", "rotate_secret", "cancel", "retry", "retract", "resend", "reissue", "approve", "hide"]
    actor: str
    token_id: str
    experience_id: str
    created_after: str
    created_before: str


class AuditEventList(TypedDict):
    items: List[AuditEvent]
    next_cursor: Optional[str]


class AzureBlobUploadAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: AzureBlobUploadAuth
    defaults: AzureBlobUploadDefaults


class AzureBlobUploadAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `azure_blob_upload`."""
    auth: AzureBlobUploadAuth
    defaults: AzureBlobUploadDefaults
    adapter_config: AzureBlobUploadAdapterConfigAdapterConfig


class AzureBlobUploadAuth(TypedDict, total=False):
    """Credentials of `azure_blob_upload`."""
    account_name: str
    account_key: str
    sas_token: str


class AzureBlobUploadDefaults(TypedDict, total=False):
    """Options of `azure_blob_upload`. Puts the file into a container of Azure Blob Storage."""
    container_name: str
    service_url: Optional[str]
    public: bool
    force_download: bool
    cache_control: str
    file_prefix: str
    file_name: str
    delivery_attempts: int
    delivery_backoff: float


class _AzureBlobUploadResult(TypedDict):
    container_name: str
    file_key: str
    url: str


class AzureBlobUploadResult(_AzureBlobUploadResult, total=False):
    """What `azure_blob_upload` answers."""
    activity: List[str]


class CallbackAttempts(TypedDict):
    at: str
    status_code: Optional[int]
    error: Optional[str]
    duration_ms: int


class Callback(TypedDict):
    callback_id: str
    task_id: str
    configurations: List[str]
    guest: Optional[str]
    url: str
    status: CallbackStatus
    body: Union[TaskCallback, TaskGroupCallback]
    attempts: List[CallbackAttempts]
    next_attempt_at: Optional[str]
    created_at: str
    updated_at: str


class CallbackFilters(TypedDict, total=False):
    task_id: str
    status: CallbackStatus
    experience_id: str
    created_after: str
    created_before: str


class CallbackList(TypedDict):
    items: List[Callback]
    next_cursor: Optional[str]


class _ChainedConfigurationInput(TypedDict):
    configuration_name: str
    experience_id: Optional[str]
    call_chain: List[List[Any]]


class ChainedConfigurationInput(_ChainedConfigurationInput, total=False):
    """Other configurations, in order."""
    webhook_url: Optional[str]
    overridable: List[str]
    needs_consent: Optional[Union[Literal["share", "wall", "marketing"], List[Literal["share", "wall", "marketing"]]]]
    without_consent: Optional[Literal["skip", "wait"]]
    kind: Literal["transformer", "destination", "chain"]
    created_at: str
    updated_at: str


class ChangedBy(TypedDict):
    kind: Literal["token", "session", "command_line", "guest"]
    token_id: Optional[str]
    name: str


class CheckCallback(TypedDict):
    """Posted by the check before an event; nothing has ended."""
    type: Literal["keepsake.check"]
    configuration: str


class CheckLineNeeds(TypedDict):
    """The option that must come with the extras of every task."""
    configuration: str
    option: str


class _CheckLine(TypedDict):
    ok: bool
    what: str
    detail: str


class CheckLine(_CheckLine, total=False):
    needs: CheckLineNeeds


class CheckLines(TypedDict):
    lines: List[CheckLine]


class ConfigurationAdapterConfig(TypedDict):
    """Of a single configuration. A token that is limited to experiences does not see it of a shared one."""
    auth: Dict[str, Any]
    defaults: Dict[str, Any]


class _Configuration(TypedDict):
    configuration_name: str
    experience_id: Optional[str]
    kind: Literal["transformer", "destination", "chain"]
    created_at: str
    updated_at: str


class Configuration(_Configuration, total=False):
    adapter_name: str
    adapter_config: ConfigurationAdapterConfig
    activity_config: ActivityConfig
    call_chain: List[List[Any]]
    webhook_url: str
    overridable: List[str]
    needs_consent: List[Literal["share", "wall", "marketing"]]
    without_consent: Literal["skip", "wait"]


class ConfigurationFilters(TypedDict, total=False):
    experience_id: str
    shared: Literal["true"]
    adapter_name: str
    kind: Literal["transformer", "destination", "chain"]


class ConfigurationList(TypedDict):
    items: List[Configuration]
    next_cursor: Optional[str]


class ConfigurationPatch(TypedDict, total=False):
    """A JSON merge patch (RFC 7396): objects are merged, null removes, everything else replaces."""
    configuration_name: Any
    experience_id: Any
    adapter_name: Any
    adapter_config: Any
    activity_config: Any
    call_chain: Any
    webhook_url: Any
    overridable: Any
    needs_consent: Any
    without_consent: Any
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


class _ConfigurationReplacement(TypedDict):
    experience_id: Optional[str]


class ConfigurationReplacement(_ConfigurationReplacement, total=False):
    """Has either `adapter_name` (a single configuration) or `call_chain` (a chain)."""
    configuration_name: str
    adapter_name: str
    adapter_config: ConfigurationReplacementAdapterConfig
    activity_config: Optional[ActivityConfig]
    call_chain: List[List[Any]]
    webhook_url: Optional[str]
    overridable: List[str]
    needs_consent: Optional[Union[Literal["share", "wall", "marketing"], List[Literal["share", "wall", "marketing"]]]]
    without_consent: Optional[Literal["skip", "wait"]]
    kind: Literal["transformer", "destination", "chain"]
    created_at: str
    updated_at: str


class ConfigurationVersionConfigurationAdapterConfig(TypedDict):
    """Of a single configuration. A token that is limited to experiences does not see it of a shared one."""
    auth: Dict[str, Any]
    defaults: Dict[str, Any]


class _ConfigurationVersionConfiguration(TypedDict):
    configuration_name: str
    experience_id: Optional[str]
    kind: Literal["transformer", "destination", "chain"]


class ConfigurationVersionConfiguration(_ConfigurationVersionConfiguration, total=False):
    """The whole configuration as it was, credentials masked."""
    adapter_name: str
    adapter_config: ConfigurationVersionConfigurationAdapterConfig
    activity_config: ActivityConfig
    call_chain: List[List[Any]]
    webhook_url: str
    overridable: List[str]
    needs_consent: List[Literal["share", "wall", "marketing"]]
    without_consent: Literal["skip", "wait"]


class ConfigurationVersion(TypedDict):
    version: int
    is_current: bool
    change: Literal["made", "changed", "restored"]
    restored_from: Optional[int]
    changed_by: Optional[ChangedBy]
    created_at: str
    configuration: ConfigurationVersionConfiguration


class ConfigurationVersionList(TypedDict):
    items: List[ConfigurationVersion]
    next_cursor: Optional[str]


class ConsentInput(TypedDict, total=False):
    share: Optional[bool]
    wall: Optional[bool]
    marketing: Optional[bool]


class EmailSendAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: EmailSendAuth
    defaults: EmailSendDefaults


class EmailSendAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `email_send`."""
    auth: EmailSendAuth
    defaults: EmailSendDefaults
    adapter_config: EmailSendAdapterConfigAdapterConfig


EmailSendAuth = TypedDict(
    "EmailSendAuth",
    {
        "host": "str",
        "port": "int",
        "secure": "bool",
        "username": "str",
        "password": "str",
        "from": "str",
    },
    total=False,
)


class EmailSendDefaults(TypedDict, total=False):
    """Options of `email_send`. Sends the file, or a link to it, by email."""
    to: str
    subject: str
    text: str
    html: str
    design: Literal["card", "none"]
    title: str
    button: str
    color: str
    attach: Literal["file", "link"]
    link: str
    file_name: str
    max_attach_bytes: int
    delivery_attempts: int
    delivery_backoff: float


class _EmailSendResult(TypedDict):
    message_id: str
    to: List[str]


class EmailSendResult(_EmailSendResult, total=False):
    """What `email_send` answers."""
    activity: List[str]


class Entry(TypedDict):
    index: int
    configuration: str
    adapter_name: str
    input_idx: Optional[int]
    status: EntryStatus
    progress: float
    seconds_left: Optional[int]
    started_at: Optional[str]
    ended_at: Optional[str]
    retry_at: Optional[str]
    result: Optional[Result]
    retracted_at: Optional[str]
    error: Optional[EntryError]
    warnings: List[str]
    output: Optional[Output]
    explanation: Optional[Dict[str, Any]]


class EntryError(TypedDict):
    code: str
    message: str


class _ErasedDelivery(TypedDict):
    what: Literal["delivery", "callback", "task", "activity"]
    task_id: str
    at: str


class ErasedDelivery(_ErasedDelivery, total=False):
    index: int
    configuration: str
    adapter_name: str
    receiver: str


class Erasure(TypedDict):
    erasure_id: str
    status: Literal["Running", "Pending", "Done"]
    counts: ErasureCounts
    removed: List[ErasedDelivery]
    kept: List[KeptAfterErasure]
    pending: List[PendingErasure]
    shared: List[str]


class ErasureCounts(TypedDict):
    """What was deleted."""
    profiles: int
    pages: int
    tasks: int
    files: int
    activities: int
    callbacks: int
    idempotency_keys: int


class ErasureKey(TypedDict):
    key_id: str
    algorithm: Literal["Ed25519"]
    public_key: str


class ErasureReceipt(TypedDict):
    receipt: str
    signature: str
    key_id: str


class ExperienceWebhookHeaders(TypedDict):
    origin: str
    headers: Dict[str, Any]


class _Experience(TypedDict):
    experience_id: str
    name: Optional[str]
    max_running: Optional[int]
    retention_days: Optional[int]
    time_zone: Optional[str]
    starts_at: Optional[str]
    ends_at: Optional[str]
    archived: bool
    guest_page: GuestPage
    created_at: str
    updated_at: str


class Experience(_Experience, total=False):
    webhook_secret: str
    webhook_headers: List[ExperienceWebhookHeaders]


class ExperienceFilters(TypedDict, total=False):
    archived: Literal["true", "false"]


class _ExperienceInput(TypedDict):
    experience_id: str


class ExperienceInput(_ExperienceInput, total=False):
    name: Optional[str]
    max_running: Optional[int]
    retention_days: Optional[int]
    time_zone: Optional[str]
    starts_at: Optional[str]
    ends_at: Optional[str]
    archived: bool
    guest_page: Optional[GuestPagePatch]


class ExperienceList(TypedDict):
    items: List[Experience]
    next_cursor: Optional[str]


class ExperiencePatchWebhookHeaders(TypedDict):
    origin: str
    headers: Dict[str, Any]


class ExperiencePatch(TypedDict, total=False):
    name: Optional[str]
    max_running: Optional[int]
    retention_days: Optional[int]
    time_zone: Optional[str]
    starts_at: Optional[str]
    ends_at: Optional[str]
    archived: bool
    guest_page: Optional[GuestPagePatch]
    webhook_headers: Optional[List[ExperiencePatchWebhookHeaders]]


class FailedConfiguration(TypedDict):
    """A configuration of a group that failed or was not run."""
    error: Literal[True]
    result: str
    configuration: str


class FailedEntry(TypedDict):
    """An entry that ended with an error."""
    result: str
    error: Literal[True]
    configuration: str
    chain_id: str
    input_idx: Optional[int]


class FailureError(TypedDict):
    """What went wrong."""
    code: str
    message: str


class Font(TypedDict):
    family: str
    shipped: bool


class FontList(TypedDict):
    items: List[Font]
    next_cursor: None


class GcsUploadAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: GcsUploadAuth
    defaults: GcsUploadDefaults


class GcsUploadAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `gcs_upload`."""
    auth: GcsUploadAuth
    defaults: GcsUploadDefaults
    adapter_config: GcsUploadAdapterConfigAdapterConfig


class GcsUploadAuth(TypedDict, total=False):
    """Credentials of `gcs_upload`."""
    client_email: str
    private_key: str
    token_uri: str
    type: str
    project_id: str
    private_key_id: str
    client_id: str
    auth_uri: str
    auth_provider_x509_cert_url: str
    client_x509_cert_url: str
    universe_domain: str


class GcsUploadDefaults(TypedDict, total=False):
    """Options of `gcs_upload`. Puts the file into a bucket of Google Cloud Storage."""
    bucket_name: str
    public: bool
    force_download: bool
    cache_control: str
    file_prefix: str
    file_name: str
    api_base_url: str
    delivery_attempts: int
    delivery_backoff: float


class _GcsUploadResult(TypedDict):
    bucket_name: str
    file_key: str
    url: str


class GcsUploadResult(_GcsUploadResult, total=False):
    """What `gcs_upload` answers."""
    activity: List[str]


class GroupMemberFiles(TypedDict):
    """The files that came with the request in place of assets, by asset parameter."""
    pass


class GroupMemberInput(TypedDict):
    """The file that was sent in or downloaded; null before that, and where it is another’s output."""
    file_name: Optional[str]
    mime: str
    bytes: int
    sha256: str


class GroupMember(TypedDict):
    """One configuration of a task group."""
    index: int
    configuration: str
    chain_id: str
    status: TaskStatus
    extras: Dict[str, Any]
    files: GroupMemberFiles
    input: Optional[GroupMemberInput]
    entries: List[Entry]


class GuestErasure(TypedDict):
    receipt_url: str
    erasure_id: str
    status: Literal["Running", "Pending", "Done"]
    counts: ErasureCounts
    removed: List[ErasedDelivery]
    kept: List[KeptAfterErasure]
    pending: List[PendingErasure]
    shared: List[str]


class GuestPage(TypedDict):
    """The pages of guests."""
    enabled: bool
    title: Optional[str]
    text: Optional[str]
    logo_file_name: Optional[str]
    color: Optional[str]
    language: Literal["en", "de", "fr", "es", "ar"]
    expires_days: Optional[int]
    download: bool
    share: bool
    erase: bool
    approval: Literal["required", "none"]
    wall_url: Optional[str]
    wall_text: Optional[str]
    wall_consent: Literal["not_refused", "required"]


class GuestPagePatch(TypedDict, total=False):
    """The pages of guests. What is left out is as before; null: as if none had been set."""
    enabled: bool
    title: Optional[str]
    text: Optional[str]
    logo_file_name: Optional[str]
    color: Optional[str]
    language: Literal["en", "de", "fr", "es", "ar"]
    expires_days: Optional[int]
    download: bool
    share: bool
    erase: bool
    approval: Literal["required", "none"]
    wall_url: Optional[str]
    wall_text: Optional[str]
    wall_consent: Literal["not_refused", "required"]


class Health(TypedDict):
    status: Literal["ok"]


class HttpPostAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: HttpPostAuth
    defaults: HttpPostDefaults


class HttpPostAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `http_post`."""
    auth: HttpPostAuth
    defaults: HttpPostDefaults
    adapter_config: HttpPostAdapterConfigAdapterConfig


class HttpPostAuth(TypedDict, total=False):
    """Credentials of `http_post`."""
    bearer: str
    username: str
    password: str


class HttpPostDefaults(TypedDict, total=False):
    """Options of `http_post`. Sends the file to a web address, as a form or as the bare body."""
    url: str
    method: Literal["POST", "PUT", "PATCH"]
    headers: Dict[str, Any]
    field: str
    fields: Dict[str, Any]
    expect: str
    idempotent: bool
    delivery_attempts: int
    delivery_backoff: float


class _HttpPostResult(TypedDict):
    status_code: int
    response: Any


class HttpPostResult(_HttpPostResult, total=False):
    """What `http_post` answers."""
    activity: List[str]


class KeepsakeLookups(TypedDict, total=False):
    """What the guest is known by, besides what tasks name in their extras."""
    email: List[str]
    qr_code: List[str]
    rfid: List[str]
    profile_id: List[str]


class KeepsakeConsent(TypedDict, total=False):
    share: bool
    wall: bool
    marketing: bool


class KeepsakeFiles(TypedDict):
    number: int
    state: Literal["being made", "ready", "failed"]
    mime: Optional[str]
    wall: Literal["waiting", "approved", "hidden"]


class Keepsake(TypedDict):
    keepsake_id: str
    experience_id: str
    url: Optional[str]
    lookups: KeepsakeLookups
    consent: Optional[KeepsakeConsent]
    expires_at: str
    files: List[KeepsakeFiles]
    wall: OnWall
    created_at: str


class _KeepsakeInput(TypedDict):
    experience_id: str


class KeepsakeInput(_KeepsakeInput, total=False):
    lookups: Optional[KeepsakeLookups]


class KeepsakeLookups(TypedDict, total=False):
    """What the guest is known by, as in the extras of a task: each a value or a list."""
    email: Optional[Union[Union[str, float], List[Union[str, float]]]]
    qr_code: Optional[Union[Union[str, float], List[Union[str, float]]]]
    rfid: Optional[Union[Union[str, float], List[Union[str, float]]]]
    profile_id: Optional[Union[Union[str, float], List[Union[str, float]]]]


class KeepsakePatch(TypedDict, total=False):
    """`lookups` replace those that are stored; `consent` is merged, null removes."""
    lookups: Optional[KeepsakeLookups]
    consent: Optional[ConsentInput]


class KeepsakeWall(TypedDict):
    keepsake_id: str
    wall: OnWall


class _KeptAfterErasure(TypedDict):
    what: Literal["delivery", "callback", "task", "activity"]
    task_id: str
    at: str
    code: str
    reason: str


class KeptAfterErasure(_KeptAfterErasure, total=False):
    index: int
    configuration: str
    adapter_name: str
    receiver: str


class ListedKeepsakeFiles(TypedDict):
    number: int
    state: Literal["being made", "ready", "failed"]
    mime: Optional[str]
    width: Optional[int]
    height: Optional[int]
    wall: Literal["waiting", "approved", "hidden"]


class ListedKeepsake(TypedDict):
    keepsake_id: str
    experience_id: str
    wall: OnWall
    has_guest: bool
    files: List[ListedKeepsakeFiles]
    created_at: str


class ListedKeepsakeFilters(TypedDict, total=False):
    experience_id: str
    wall: Literal["waiting", "approved", "hidden"]
    profile_id: str


class ListedKeepsakeList(TypedDict):
    items: List[ListedKeepsake]
    next_cursor: Optional[str]


class LocalFileAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: LocalFileDefaults


class LocalFileAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `local_file`."""
    auth: Dict[str, Any]
    defaults: LocalFileDefaults
    adapter_config: LocalFileAdapterConfigAdapterConfig


class LocalFileDefaults(TypedDict, total=False):
    """Options of `local_file`. Puts the file into a folder of this machine."""
    folder: str
    file_prefix: str
    file_name: str
    delivery_attempts: int
    delivery_backoff: float


class _LocalFileResult(TypedDict):
    folder: str
    file_key: str


class LocalFileResult(_LocalFileResult, total=False):
    """What `local_file` answers."""
    activity: List[str]


class Many(TypedDict):
    """They are worked on."""
    count: int


class ManyTasks(TypedDict, total=False):
    status: TaskStatus
    configuration: str
    experience_id: str
    profile_id: str
    error_code: str
    created_after: str
    created_before: str
    ids: List[str]
    dry_run: bool


class MessageSendAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: MessageSendAuth
    defaults: MessageSendDefaults


class MessageSendAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `message_send`."""
    auth: MessageSendAuth
    defaults: MessageSendDefaults
    adapter_config: MessageSendAdapterConfigAdapterConfig


class MessageSendAuth(TypedDict, total=False):
    """Credentials of `message_send`."""
    account_sid: str
    auth_token: str
    bearer: str


MessageSendDefaultsQuietHours = TypedDict(
    "MessageSendDefaultsQuietHours",
    {
        "from": "str",
        "to": "str",
    },
    total=False,
)


MessageSendDefaults = TypedDict(
    "MessageSendDefaults",
    {
        "provider": "Literal['twilio', 'http']",
        "channel": "Literal['sms', 'whatsapp']",
        "to": "str",
        "text": "str",
        "from": "str",
        "messaging_service_sid": "str",
        "api_base_url": "str",
        "url": "str",
        "method": "Literal['POST', 'PUT']",
        "headers": "Dict[str, Any]",
        "body": "Dict[str, Any]",
        "body_format": "Literal['json', 'form']",
        "idempotent": "bool",
        "quiet_hours": "MessageSendDefaultsQuietHours",
        "time_zone": "str",
        "delivery_attempts": "int",
        "delivery_backoff": "float",
    },
    total=False,
)


class _MessageSendResult(TypedDict):
    to: str
    message_id: str
    status: str


class MessageSendResult(_MessageSendResult, total=False):
    """What `message_send` answers."""
    activity: List[str]


class NewToken(TypedDict):
    token_id: str
    name: str
    scopes: List[Literal["read", "tasks", "write", "admin"]]
    experiences: Optional[List[str]]
    expires_at: Optional[str]
    last_used_at: Optional[str]
    limits: Optional[TokenLimits]
    person: bool
    made_by: Optional[str]
    created_at: str
    updated_at: str
    token: str


class NewWallKey(TypedDict):
    key_id: str
    experience_id: str
    name: Optional[str]
    created_at: str
    key: str
    url: str


class OnWall(TypedDict):
    """Whether it may be on the wall of its experience."""
    state: Literal["waiting", "approved", "hidden"]
    refused: bool


class Output(TypedDict):
    """The file that it handed on."""
    mime: str
    width: Optional[int]
    height: Optional[int]
    duration: Optional[float]
    bytes: Optional[int]
    sha256: Optional[str]


class _PendingErasure(TypedDict):
    what: Literal["delivery", "callback", "task", "activity"]
    task_id: str
    at: str
    code: str
    reason: str
    tries: int
    next_try_at: str
    until: str


class PendingErasure(_PendingErasure, total=False):
    index: int
    configuration: str
    adapter_name: str
    receiver: str


class PhotoAddOverlayAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: PhotoAddOverlayDefaults


class PhotoAddOverlayAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `photo_add_overlay`."""
    auth: Dict[str, Any]
    defaults: PhotoAddOverlayDefaults
    adapter_config: PhotoAddOverlayAdapterConfigAdapterConfig


class PhotoAddOverlayDefaults(TypedDict, total=False):
    """Options of `photo_add_overlay`. Lays a frame or a logo over a picture."""
    overlay_file_name: str
    overlay_portrait_file_name: str
    fit: Literal["stretch", "contain", "cover", "none"]
    position: Literal["center", "top", "bottom", "left", "right", "top_left", "top_right", "bottom_left", "bottom_right"]
    opacity: float
    blend: Literal["over", "multiply", "screen", "overlay", "darken", "lighten", "color_dodge", "color_burn", "hard_light", "soft_light", "difference", "exclusion", "add"]


class PhotoAddQrAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: PhotoAddQrDefaults


class PhotoAddQrAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `photo_add_qr`."""
    auth: Dict[str, Any]
    defaults: PhotoAddQrDefaults
    adapter_config: PhotoAddQrAdapterConfigAdapterConfig


class PhotoAddQrDefaults(TypedDict, total=False):
    """Options of `photo_add_qr`. Puts a QR code on a picture."""
    data: str
    x: Optional[Union[float, str]]
    y: Optional[Union[float, str]]
    size: Union[float, str]
    ecc: Literal["L", "M", "Q", "H"]
    quiet: int


class PhotoAddTextAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: PhotoAddTextDefaults


class PhotoAddTextAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `photo_add_text`."""
    auth: Dict[str, Any]
    defaults: PhotoAddTextDefaults
    adapter_config: PhotoAddTextAdapterConfigAdapterConfig


class PhotoAddTextDefaultsStroke(TypedDict, total=False):
    color: str
    width: float


class PhotoAddTextDefaults(TypedDict, total=False):
    """Options of `photo_add_text`. Writes text on a picture, as large as its box allows."""
    text: str
    x: Union[float, str]
    y: Union[float, str]
    width: Union[float, str]
    height: Union[float, str]
    font: str
    size_max: Optional[float]
    size_min: float
    color: str
    align: Literal["left", "center", "right"]
    valign: Literal["top", "middle", "bottom"]
    stroke: Optional[PhotoAddTextDefaultsStroke]
    overflow: Literal["shrink", "wrap", "ellipsis"]
    font_file_name: str


class PhotoBlurFacesAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: PhotoBlurFacesDefaults


class PhotoBlurFacesAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `photo_blur_faces`."""
    auth: Dict[str, Any]
    defaults: PhotoBlurFacesDefaults
    adapter_config: PhotoBlurFacesAdapterConfigAdapterConfig


class PhotoBlurFacesDefaults(TypedDict, total=False):
    """Options of `photo_blur_faces`. Blurs the faces of bystanders and keeps those of the guests."""
    keep: Union[Literal["largest", "guests", "none"], int]
    method: Literal["blur", "pixelate"]
    strength: float
    margin: float


class PhotoChromaKeyAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: PhotoChromaKeyDefaults


class PhotoChromaKeyAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `photo_chroma_key`."""
    auth: Dict[str, Any]
    defaults: PhotoChromaKeyDefaults
    adapter_config: PhotoChromaKeyAdapterConfigAdapterConfig


class PhotoChromaKeyDefaults(TypedDict, total=False):
    """Options of `photo_chroma_key`. Takes a green or blue screen out of a picture and puts a background in its place."""
    key: str
    tolerance: float
    softness: float
    despill: float
    fit: Literal["cover", "contain", "stretch"]
    background_file_name: str


class PhotoCollageAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: PhotoCollageDefaults


class PhotoCollageAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `photo_collage`."""
    auth: Dict[str, Any]
    defaults: PhotoCollageDefaults
    adapter_config: PhotoCollageAdapterConfigAdapterConfig


class PhotoCollageDefaultsCells(TypedDict):
    x: Union[float, str]
    y: Union[float, str]
    width: Union[float, str]
    height: Union[float, str]


class PhotoCollageDefaults(TypedDict, total=False):
    """Options of `photo_collage`. Puts several photos on one sheet: a strip, a grid or places of your own."""
    layout: Literal["strip3", "strip4", "grid2x2", "custom"]
    width: Optional[int]
    height: Optional[int]
    gap: int
    margin: int
    background: str
    gravity: Literal["center", "top", "bottom", "left", "right", "top_left", "top_right", "bottom_left", "bottom_right", "attention", "entropy", "faces"]
    cells: List[PhotoCollageDefaultsCells]
    photo_file_names: List[str]
    background_file_name: str
    overlay_file_name: str


class PhotoCompositorAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: PhotoCompositorDefaults


class PhotoCompositorAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `photo_compositor`."""
    auth: Dict[str, Any]
    defaults: PhotoCompositorDefaults
    adapter_config: PhotoCompositorAdapterConfigAdapterConfig


class _PhotoCompositorDefaultsCanvas(TypedDict):
    width: int
    height: int


class PhotoCompositorDefaultsCanvas(_PhotoCompositorDefaultsCanvas, total=False):
    background: str


class PhotoCompositorDefaultsLayersStroke(TypedDict, total=False):
    color: str
    width: float


class _PhotoCompositorDefaultsLayers(TypedDict):
    type: Literal["photo", "image", "text", "qr", "shape"]


class PhotoCompositorDefaultsLayers(_PhotoCompositorDefaultsLayers, total=False):
    name: str
    x: Union[float, str]
    y: Union[float, str]
    width: Union[float, str]
    height: Union[float, str]
    anchor: Literal["center", "top", "bottom", "left", "right", "top_left", "top_right", "bottom_left", "bottom_right"]
    fit: Literal["cover", "contain", "stretch"]
    gravity: Literal["center", "top", "bottom", "left", "right", "top_left", "top_right", "bottom_left", "bottom_right", "attention", "entropy", "faces"]
    opacity: float
    rotate: float
    blend: Literal["over", "multiply", "screen", "overlay", "darken", "lighten", "color_dodge", "color_burn", "hard_light", "soft_light", "difference", "exclusion", "add"]
    radius: Union[float, str]
    asset: str
    text: str
    font: str
    size_max: Optional[float]
    size_min: float
    color: str
    align: Literal["left", "center", "right"]
    valign: Literal["top", "middle", "bottom"]
    stroke: Optional[PhotoCompositorDefaultsLayersStroke]
    overflow: Literal["shrink", "wrap", "ellipsis"]
    data: str
    ecc: Literal["L", "M", "Q", "H"]
    quiet: int
    shape: Literal["rectangle", "ellipse"]


class PhotoCompositorDefaults(TypedDict, total=False):
    """Options of `photo_compositor`. Draws a photo, pictures, text, QR codes and shapes on one canvas."""
    canvas: Optional[PhotoCompositorDefaultsCanvas]
    layers: List[PhotoCompositorDefaultsLayers]
    context: Dict[str, Any]
    missing: Literal["empty", "error"]
    format: Optional[Literal["jpeg", "png", "webp"]]
    quality: int
    background_file_name: str
    overlay_file_name: str
    font_file_name: str
    template_file_name: str
    layer_assets: Dict[str, Any]


class PhotoConvertAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: PhotoConvertDefaults


class PhotoConvertAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `photo_convert`."""
    auth: Dict[str, Any]
    defaults: PhotoConvertDefaults
    adapter_config: PhotoConvertAdapterConfigAdapterConfig


class PhotoConvertDefaults(TypedDict, total=False):
    """Options of `photo_convert`. Writes a picture in another format, at most so large."""
    format: Literal["jpeg", "png", "webp", "avif"]
    quality: int
    max_side: Optional[int]


class PhotoCropAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: PhotoCropDefaults


class PhotoCropAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `photo_crop`."""
    auth: Dict[str, Any]
    defaults: PhotoCropDefaults
    adapter_config: PhotoCropAdapterConfigAdapterConfig


class PhotoCropDefaults(TypedDict, total=False):
    """Options of `photo_crop`. Cuts a rectangle out of a picture."""
    x: Optional[Union[float, str]]
    y: Optional[Union[float, str]]
    width: Optional[Union[float, str]]
    height: Optional[Union[float, str]]
    aspect: Optional[str]
    gravity: Literal["center", "top", "bottom", "left", "right", "top_left", "top_right", "bottom_left", "bottom_right", "attention", "entropy", "faces"]


class PhotoCutoutAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: PhotoCutoutDefaults


class PhotoCutoutAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `photo_cutout`."""
    auth: Dict[str, Any]
    defaults: PhotoCutoutDefaults
    adapter_config: PhotoCutoutAdapterConfigAdapterConfig


class PhotoCutoutDefaults(TypedDict, total=False):
    """Options of `photo_cutout`. Takes the background away from behind people, without a green screen, and puts another in its place."""
    background: Literal["asset", "color", "gradient", "blur", "transparent", "mask"]
    background_file_name: str
    fit: Literal["cover", "contain", "stretch"]
    color: str
    color_to: str
    angle: float
    blur: float
    softness: float
    light_wrap: float
    shadow: float
    shadow_x: float
    shadow_y: float
    on_doubt: Literal["keep", "fail", "go_on"]


class PhotoFilterAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: PhotoFilterDefaults


class PhotoFilterAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `photo_filter`."""
    auth: Dict[str, Any]
    defaults: PhotoFilterDefaults
    adapter_config: PhotoFilterAdapterConfigAdapterConfig


class PhotoFilterDefaults(TypedDict, total=False):
    """Options of `photo_filter`. Changes the look of a picture: colours, brightness, sharpness, a look-up table."""
    preset: Literal["none", "bw", "sepia", "vintage", "vivid"]
    brightness: float
    contrast: float
    saturation: float
    sharpen: float
    blur: float
    lut_file_name: str


class PhotoFlipAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: PhotoFlipDefaults


class PhotoFlipAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `photo_flip`."""
    auth: Dict[str, Any]
    defaults: PhotoFlipDefaults
    adapter_config: PhotoFlipAdapterConfigAdapterConfig


class PhotoFlipDefaults(TypedDict, total=False):
    """Options of `photo_flip`. Mirrors a picture or turns it by 90, 180 or 270 degrees."""
    method: Literal["FLIP_LEFT_RIGHT", "FLIP_TOP_BOTTOM", "ROTATE_90", "ROTATE_180", "ROTATE_270", "TRANSPOSE", "TRANSVERSE"]


class PhotoPickAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: PhotoPickDefaults


class PhotoPickAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `photo_pick`."""
    auth: Dict[str, Any]
    defaults: PhotoPickDefaults
    adapter_config: PhotoPickAdapterConfigAdapterConfig


class PhotoPickDefaults(TypedDict, total=False):
    """Options of `photo_pick`. Picks the best photo of several: faces, open eyes, sharpness, exposure."""
    photo_file_names: List[str]
    prefer: Literal["balanced", "faces", "sharp"]


class PhotoResizeAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: PhotoResizeDefaults


class PhotoResizeAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `photo_resize`."""
    auth: Dict[str, Any]
    defaults: PhotoResizeDefaults
    adapter_config: PhotoResizeAdapterConfigAdapterConfig


class PhotoResizeDefaults(TypedDict, total=False):
    """Options of `photo_resize`. Brings a picture to a size."""
    width: Optional[int]
    height: Optional[int]
    fit: Literal["cover", "contain", "inside", "stretch"]
    gravity: Literal["center", "top", "bottom", "left", "right", "top_left", "top_right", "bottom_left", "bottom_right", "attention", "entropy", "faces"]
    enlarge: bool
    background: str


class PhotoToVideoAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: PhotoToVideoDefaults


class PhotoToVideoAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `photo_to_video`."""
    auth: Dict[str, Any]
    defaults: PhotoToVideoDefaults
    adapter_config: PhotoToVideoAdapterConfigAdapterConfig


class PhotoToVideoDefaults(TypedDict, total=False):
    """Options of `photo_to_video`. Makes a video of a picture, with a slow movement and music if wanted."""
    duration: float
    motion: Literal["none", "zoom_in", "zoom_out", "pan"]
    fps: float
    width: Optional[int]
    height: Optional[int]
    audio_file_name: str


class PictureParts(TypedDict):
    data: str


class _PreviewParts(TypedDict):
    data: str


class PreviewParts(_PreviewParts, total=False):
    extras: str
    experience_id: str


class PrintIppAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: PrintIppAuth
    defaults: PrintIppDefaults


class PrintIppAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `print_ipp`."""
    auth: PrintIppAuth
    defaults: PrintIppDefaults
    adapter_config: PrintIppAdapterConfigAdapterConfig


class PrintIppAuth(TypedDict, total=False):
    """Credentials of `print_ipp`."""
    username: str
    password: str


class PrintIppDefaults(TypedDict, total=False):
    """Options of `print_ipp`. Prints the picture on a printer of the network."""
    printers: List[str]
    certificates: List[str]
    media: str
    media_type: str
    media_source: str
    borderless: bool
    fit: Literal["cover", "contain"]
    background: str
    turn: bool
    color: Literal["auto", "color", "monochrome"]
    quality: Literal["draft", "normal", "high"]
    resolution: int
    copies: int
    prints_per_roll: int
    wait: float
    job_seconds: int
    delivery_attempts: int
    delivery_backoff: float


class _PrintIppResult(TypedDict):
    printer: str
    job_id: int
    job_name: str
    media: str
    copies: int


class PrintIppResult(_PrintIppResult, total=False):
    """What `print_ipp` answers."""
    activity: List[str]


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
    code: ErrorCode


class Problem(_Problem, total=False):
    """RFC 9457 problem details."""
    errors: List[ProblemErrors]
    request_id: str
    receipt_url: str


class ProfileConsent(TypedDict, total=False):
    share: bool
    wall: bool
    marketing: bool


class Profile(TypedDict):
    profile_id: str
    email: List[str]
    qr_code: List[str]
    rfid: List[str]
    experience_id: Optional[str]
    attributes: Dict[str, Any]
    consent: Optional[ProfileConsent]
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
    consent: Optional[ConsentInput]


class ProfileList(TypedDict):
    items: List[Profile]
    next_cursor: Optional[str]


class _ProfileMerge(TypedDict):
    profile_id: str


class ProfileMerge(_ProfileMerge, total=False):
    dry_run: bool


class ProfilePatch(TypedDict, total=False):
    """A list replaces the list; `attributes` and `consent` are merged, null removes one."""
    email: Optional[Union[str, List[str]]]
    qr_code: Optional[Union[str, List[str]]]
    rfid: Optional[Union[str, List[str]]]
    experience_id: Optional[str]
    attributes: Dict[str, Any]
    consent: Optional[ConsentInput]


class Readiness(TypedDict):
    status: Literal["ready", "not_ready"]
    version: str
    off: List[str]


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


class Receipt(TypedDict):
    removed: List[ReceiptRemoved]
    kept: List[ReceiptKept]


class ReservedKeepsake(TypedDict):
    keepsake_id: str
    code: str
    url: str
    qr_url: str


class S3UploadAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: S3UploadAuth
    defaults: S3UploadDefaults


class S3UploadAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `s3_upload`."""
    auth: S3UploadAuth
    defaults: S3UploadDefaults
    adapter_config: S3UploadAdapterConfigAdapterConfig


class S3UploadAuth(TypedDict, total=False):
    """Credentials of `s3_upload`."""
    access_key: str
    secret_key: str
    session_token: str


class S3UploadDefaults(TypedDict, total=False):
    """Options of `s3_upload`. Puts the file into a bucket of Amazon S3 or any store that speaks its protocol."""
    bucket_name: str
    bucket_url: str
    public: bool
    force_download: bool
    cache_control: str
    file_prefix: str
    file_name: str
    region: str
    url_style: Literal["path", "virtual"]
    public_base_url: Optional[str]
    signed_url_ttl: Optional[int]
    acl_mode: Literal["auto", "acl", "none"]
    metadata: Dict[str, Any]
    delivery_attempts: int
    delivery_backoff: float


class _S3UploadResult(TypedDict):
    bucket_name: str
    file_key: str
    url: str


class S3UploadResult(_S3UploadResult, total=False):
    """What `s3_upload` answers."""
    activity: List[str]


class SearchResultProfiles(TypedDict):
    """Guests, by any part of a look-up value or of a text in `attributes`. Newest first."""
    items: List[Profile]
    more: bool


class SearchResultTasks(TypedDict):
    """By the start of their id or of `input.file_name`."""
    items: List[Task]
    more: bool


class SearchResultTaskgroups(TypedDict):
    """By the start of their id or of a file’s name, and by any part of the name of a configuration in them."""
    items: List[TaskGroup]
    more: bool


class SearchResultConfigurations(TypedDict):
    """By any part of the name. Newest first."""
    items: List[Configuration]
    more: bool


class SearchResultAssets(TypedDict):
    """By any part of the name. Newest first."""
    items: List[Asset]
    more: bool


class SearchResult(TypedDict):
    """At most 20 of each."""
    profiles: SearchResultProfiles
    tasks: SearchResultTasks
    taskgroups: SearchResultTaskgroups
    configurations: SearchResultConfigurations
    assets: SearchResultAssets


class Session(TypedDict):
    name: str
    scope: Literal["read", "tasks", "write", "admin"]
    experiences: Optional[List[str]]
    token_id: Optional[str]
    expires_at: Optional[str]


class SessionInput(TypedDict, total=False):
    """Either a token or a code."""
    token: str
    code: str


class SftpUploadAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: SftpUploadAuth
    defaults: SftpUploadDefaults


class SftpUploadAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `sftp_upload`."""
    auth: SftpUploadAuth
    defaults: SftpUploadDefaults
    adapter_config: SftpUploadAdapterConfigAdapterConfig


class SftpUploadAuth(TypedDict, total=False):
    """Credentials of `sftp_upload`."""
    username: str
    password: str
    private_key: str
    passphrase: str


class SftpUploadDefaults(TypedDict, total=False):
    """Options of `sftp_upload`. Puts the file onto a server by SFTP."""
    host: str
    port: int
    path: str
    file_prefix: str
    file_name: str
    host_key: str
    delivery_attempts: int
    delivery_backoff: float


class _SftpUploadResult(TypedDict):
    host: str
    path: str


class SftpUploadResult(_SftpUploadResult, total=False):
    """What `sftp_upload` answers."""
    activity: List[str]


class SignInOidc(TypedDict):
    name: str
    url: str
    sign_out_url: str


class SignIn(TypedDict):
    """How people sign in beside tokens; null: not at all."""
    oidc: Optional[SignInOidc]


class _SingleConfigurationFields(TypedDict):
    configuration_name: str
    experience_id: Optional[str]


class SingleConfigurationFields(_SingleConfigurationFields, total=False):
    """What every configuration of one adapter has."""
    activity_config: Optional[ActivityConfig]
    webhook_url: Optional[str]
    overridable: List[str]
    needs_consent: Optional[Union[Literal["share", "wall", "marketing"], List[Literal["share", "wall", "marketing"]]]]
    without_consent: Optional[Literal["skip", "wait"]]
    kind: Literal["transformer", "destination", "chain"]
    created_at: str
    updated_at: str


class StatsLastMinute(TypedDict):
    """What ended in the last full minute: the minute that is under way would look like a lull."""
    succeeded: int
    failed: int


class StatsLatencyMs(TypedDict):
    """From the request to the callback that arrived; without one, to the end of the task."""
    p50: Optional[float]
    p95: Optional[float]


class StatsWaiting(TypedDict):
    """Each counted up to 10,000."""
    picture: int
    video: int
    transfer: int
    callback: int


class StatsBehind(TypedDict):
    lane: Literal["picture", "video", "transfer"]
    waiting: int
    seconds: int
    stalled: bool


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
    last_minute: StatsLastMinute
    success_rate: Optional[float]
    latency_ms: StatsLatencyMs
    waiting: StatsWaiting
    running: int
    behind: List[StatsBehind]
    workers: Optional[List[StatsWorkers]]
    disk: Optional[StatsDisk]
    failing: StatsFailing
    points: List[StatsPoints]


class SucceededConfiguration(TypedDict):
    """A configuration of a group that ended without an error."""
    error: Literal[False]
    result: List[Result]
    configuration: str


class SucceededEntryConfiguration(TypedDict):
    name: str
    chain_id: str
    input_idx: Optional[int]


class SucceededEntry(TypedDict):
    """An entry that ended without an error."""
    result: Result
    error: Literal[False]
    configuration: SucceededEntryConfiguration


class TaskConsent(TypedDict, total=False):
    share: bool
    wall: bool
    marketing: bool


class TaskInput(TypedDict):
    """The file that was sent in or downloaded; null before that, and where it is another’s output."""
    file_name: Optional[str]
    mime: str
    bytes: int
    sha256: str


class TaskFiles(TypedDict):
    """The files that came with the request in place of assets, by asset parameter."""
    pass


class _Task(TypedDict):
    task_id: str
    chain_id: str
    flow_id: str
    configuration: str
    experience_id: str
    keepsake_id: Optional[str]
    consent: Optional[TaskConsent]
    token_id: Optional[str]
    status: TaskStatus
    extras: Dict[str, Any]
    input: Optional[TaskInput]
    files: TaskFiles
    webhook_url: Optional[str]
    warnings: List[str]
    created_at: str
    updated_at: str
    started_at: Optional[str]
    ended_at: Optional[str]
    entries: List[Entry]


class Task(_Task, total=False):
    guest_url: str


class TaskCallback(TypedDict):
    """Posted when a task has ended."""
    task_id: str
    configuration: str
    status: Ending
    results: List[Union[SucceededEntry, FailedEntry]]


class TaskFailure(TypedDict):
    """An attempt that went wrong."""
    run: int
    position: int
    index: int
    configuration: str
    outcome: Literal["Deferred", "Failed", "Cancelled"]
    attempt: int
    error: FailureError
    times: int
    first_at: str
    last_at: str


class TaskFailureList(TypedDict):
    items: List[TaskFailure]
    next_cursor: Optional[str]


class TaskFilters(TypedDict, total=False):
    status: TaskStatus
    configuration: str
    experience_id: str
    profile_id: str
    error_code: str
    created_after: str
    created_before: str


class TaskGroupConsent(TypedDict, total=False):
    share: bool
    wall: bool
    marketing: bool


class _TaskGroup(TypedDict):
    task_id: str
    flow_id: str
    status: TaskStatus
    configuration_names: List[str]
    on_failure: Literal["stop", "continue"]
    experience_id: str
    keepsake_id: Optional[str]
    consent: Optional[TaskGroupConsent]
    token_id: Optional[str]
    webhook_url: Optional[str]
    warnings: List[str]
    created_at: str
    updated_at: str
    started_at: Optional[str]
    ended_at: Optional[str]
    tasks: List[GroupMember]


class TaskGroup(_TaskGroup, total=False):
    guest_url: str


class TaskGroupCallback(TypedDict):
    """Posted when all configurations of a task group have ended."""
    status: Ending
    task_id: str
    results: List[Union[SucceededConfiguration, FailedConfiguration]]


class TaskGroupFilters(TypedDict, total=False):
    status: TaskStatus
    configuration: str
    experience_id: str
    profile_id: str
    error_code: str
    created_after: str
    created_before: str


class TaskGroupList(TypedDict):
    items: List[TaskGroup]
    next_cursor: Optional[str]


class _TaskGroupParts(TypedDict):
    configuration_names: str


class TaskGroupParts(_TaskGroupParts, total=False):
    webhook_url: str
    on_failure: Literal["stop", "continue"]
    experience_id: str
    keepsake: str
    consent: str


class TaskGroupRetryParts(TypedDict):
    """For each NAME of the group `NAME_data` (a file), `NAME_data_url`, `NAME_data_upload` or `NAME_extras`."""
    pass


class TaskList(TypedDict):
    items: List[Task]
    next_cursor: Optional[str]


class _TaskParts(TypedDict):
    configuration_name: str


class TaskParts(_TaskParts, total=False):
    data: str
    data_url: str
    data_upload: str
    extras: str
    experience_id: str
    keepsake: str
    consent: str


class TaskRetryParts(TypedDict, total=False):
    data: str
    data_url: str
    data_upload: str
    extras: str


class Token(TypedDict):
    token_id: str
    name: str
    scopes: List[Literal["read", "tasks", "write", "admin"]]
    experiences: Optional[List[str]]
    expires_at: Optional[str]
    last_used_at: Optional[str]
    limits: Optional[TokenLimits]
    person: bool
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


class TokenList(TypedDict):
    items: List[Token]
    next_cursor: Optional[str]


class TransformerResult(TypedDict):
    """What a transformer answers."""
    success: bool


class TroubleFailed(TypedDict):
    error_code: str
    configuration: str
    is_group: bool
    count: int
    message: Optional[str]
    first_created_at: str
    last_at: str
    task_id: str


class TroubleFailing(TypedDict):
    adapter_name: str
    error_code: str
    message: Optional[str]
    first_at: str
    last_at: str
    task_id: str


class TroubleRetrying(TypedDict):
    error_code: str
    configuration: str
    adapter_name: str
    is_group: bool
    count: int
    message: Optional[str]
    next_at: Optional[str]
    task_id: str
    chains: List[str]


class TroubleGivenUp(TypedDict):
    receiver: str
    count: int
    last_error: Optional[str]
    status_code: Optional[int]
    first_created_at: str
    last_at: str


class TroubleReceivers(TypedDict):
    receiver: str
    waiting: int
    last_error: Optional[str]
    next_at: Optional[str]


class TroubleWorkersAlive(TypedDict):
    worker_id: str
    host: str
    off: List[str]


class TroubleWorkersSilent(TypedDict):
    worker_id: str
    host: str
    seen_at: str


class TroubleWorkers(TypedDict):
    alive: List[TroubleWorkersAlive]
    silent: List[TroubleWorkersSilent]


class TroubleDisk(TypedDict):
    free_bytes: float
    total_bytes: float
    low: bool


class TroubleSharedLookupsProfiles(TypedDict):
    profile_id: str
    value: str


class TroubleSharedLookups(TypedDict):
    experience_id: Optional[str]
    kind: Literal["email", "qr_code", "rfid"]
    profiles: List[TroubleSharedLookupsProfiles]


class Trouble(TypedDict):
    """`workers` and `disk` are null for a token that is limited to experiences. At most 20 causes of each kind."""
    failed: List[TroubleFailed]
    failing: List[TroubleFailing]
    retrying: List[TroubleRetrying]
    given_up: List[TroubleGivenUp]
    receivers: List[TroubleReceivers]
    workers: Optional[TroubleWorkers]
    disk: Optional[TroubleDisk]
    waiting: int
    shared_lookups: List[TroubleSharedLookups]
    stalled: List[Literal["picture", "video", "transfer"]]


class VideoAddAudioAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: VideoAddAudioDefaults


class VideoAddAudioAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `video_add_audio`."""
    auth: Dict[str, Any]
    defaults: VideoAddAudioDefaults
    adapter_config: VideoAddAudioAdapterConfigAdapterConfig


class VideoAddAudioDefaults(TypedDict, total=False):
    """Options of `video_add_audio`. Puts music or a voice under a video. The picture is never encoded anew when its frames do not change."""
    audio_file_name: str
    mode: Literal["replace", "mix"]
    volume: float
    original_volume: float
    start: float
    trim_start: float
    fade_in: float
    fade_out: float
    loop: bool
    length: Literal["video", "audio", "longest"]
    duck: bool
    loudness: Optional[float]


class VideoAddOverlayAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: VideoAddOverlayDefaults


class VideoAddOverlayAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `video_add_overlay`."""
    auth: Dict[str, Any]
    defaults: VideoAddOverlayDefaults
    adapter_config: VideoAddOverlayAdapterConfigAdapterConfig


class VideoAddOverlayDefaults(TypedDict, total=False):
    """Options of `video_add_overlay`. Lays a picture, an animation or a transparent video over a video; the video decides the length, its sound is copied."""
    overlay_file_name: str
    overlay_portrait_file_name: str
    fit: Literal["contain", "cover", "stretch", "none"]
    position: Literal["center", "top", "bottom", "left", "right", "top_left", "top_right", "bottom_left", "bottom_right"]
    x: float
    y: float
    scale: float
    opacity: float
    start: float
    end: Optional[float]
    fade: float
    loop: bool
    overlay_audio: Literal["ignore", "mix"]


class VideoAddTextAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: VideoAddTextDefaults


class VideoAddTextAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `video_add_text`."""
    auth: Dict[str, Any]
    defaults: VideoAddTextDefaults
    adapter_config: VideoAddTextAdapterConfigAdapterConfig


class VideoAddTextDefaultsStroke(TypedDict, total=False):
    color: str
    width: float


class VideoAddTextDefaults(TypedDict, total=False):
    """Options of `video_add_text`. Writes text on a video, for all of it or a while; frames without text are copied where the video allows it."""
    text: str
    x: Union[float, str]
    y: Union[float, str]
    width: Union[float, str]
    height: Union[float, str]
    font: str
    size_max: Optional[float]
    size_min: float
    color: str
    align: Literal["left", "center", "right"]
    valign: Literal["top", "middle", "bottom"]
    stroke: Optional[VideoAddTextDefaultsStroke]
    overflow: Literal["shrink", "wrap", "ellipsis"]
    start: float
    end: Optional[float]
    fade: float
    font_file_name: str


class VideoBoomerangAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: VideoBoomerangDefaults


class VideoBoomerangAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `video_boomerang`."""
    auth: Dict[str, Any]
    defaults: VideoBoomerangDefaults
    adapter_config: VideoBoomerangAdapterConfigAdapterConfig


class VideoBoomerangDefaults(TypedDict, total=False):
    """Options of `video_boomerang`. Plays a moment forwards and backwards, over and over."""
    start: float
    duration: float
    loops: int
    speed: float
    audio_file_name: str


class VideoChromaKeyAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: VideoChromaKeyDefaults


class VideoChromaKeyAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `video_chroma_key`."""
    auth: Dict[str, Any]
    defaults: VideoChromaKeyDefaults
    adapter_config: VideoChromaKeyAdapterConfigAdapterConfig


class VideoChromaKeyDefaults(TypedDict, total=False):
    """Options of `video_chroma_key`. Puts a picture or a video in place of a green or blue wall."""
    background_file_name: str
    key: str
    tolerance: float
    softness: float
    despill: float
    fit: Literal["cover", "contain", "stretch"]


class VideoConvertAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: VideoConvertDefaults


class VideoConvertAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `video_convert`."""
    auth: Dict[str, Any]
    defaults: VideoConvertDefaults
    adapter_config: VideoConvertAdapterConfigAdapterConfig


class VideoConvertDefaults(TypedDict, total=False):
    """Options of `video_convert`. Converts a video to another format, size, rate or quality."""
    format: Literal["mp4", "webm", "mov"]
    crf: int
    preset: Literal["ultrafast", "superfast", "veryfast", "faster", "fast", "medium"]
    max_height: Optional[int]
    fps: Optional[float]


class VideoCutoutAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: VideoCutoutDefaults


class VideoCutoutAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `video_cutout`."""
    auth: Dict[str, Any]
    defaults: VideoCutoutDefaults
    adapter_config: VideoCutoutAdapterConfigAdapterConfig


class VideoCutoutDefaults(TypedDict, total=False):
    """Options of `video_cutout`. Takes the background away from behind people in a video, without a green screen, and puts another in its place (beta)."""
    background: Literal["asset", "color", "gradient", "blur"]
    background_file_name: str
    fit: Literal["cover", "contain", "stretch"]
    color: str
    color_to: str
    angle: float
    blur: float
    softness: float
    light_wrap: float
    shadow: float
    shadow_x: float
    shadow_y: float
    on_doubt: Literal["keep", "fail", "go_on"]


class VideoFadeAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: VideoFadeDefaults


class VideoFadeAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `video_fade`."""
    auth: Dict[str, Any]
    defaults: VideoFadeDefaults
    adapter_config: VideoFadeAdapterConfigAdapterConfig


class VideoFadeDefaults(TypedDict, total=False):
    """Options of `video_fade`. Fades a video in and out; frames outside of the fades are copied where the video allows it."""
    fade_in: float
    fade_out: float
    color: str
    audio: bool


class VideoFlipAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: VideoFlipDefaults


class VideoFlipAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `video_flip`."""
    auth: Dict[str, Any]
    defaults: VideoFlipDefaults
    adapter_config: VideoFlipAdapterConfigAdapterConfig


class VideoFlipDefaults(TypedDict, total=False):
    """Options of `video_flip`. Turns or mirrors a video."""
    method: Literal["FLIP_LEFT_RIGHT", "FLIP_TOP_BOTTOM", "ROTATE_90", "ROTATE_180", "ROTATE_270", "TRANSPOSE", "TRANSVERSE"]


class VideoJoinAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: VideoJoinDefaults


class VideoJoinAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `video_join`."""
    auth: Dict[str, Any]
    defaults: VideoJoinDefaults
    adapter_config: VideoJoinAdapterConfigAdapterConfig


class VideoJoinDefaults(TypedDict, total=False):
    """Options of `video_join`. Joins an intro, the video, further clips and an outro, whatever their sizes, rates and sound."""
    intro_file_name: str
    outro_file_name: str
    clip_file_names: List[str]
    order: List[Literal["intro", "input", "clips", "outro"]]
    width: Optional[int]
    height: Optional[int]
    fps: Optional[float]
    fit: Literal["pad", "cover", "blur_pad"]
    background: str
    transition: Literal["none", "crossfade", "fade_to_black"]
    transition_duration: float
    still_duration: float
    audio: Literal["keep", "none"]


class VideoResizeAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: VideoResizeDefaults


class VideoResizeAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `video_resize`."""
    auth: Dict[str, Any]
    defaults: VideoResizeDefaults
    adapter_config: VideoResizeAdapterConfigAdapterConfig


class VideoResizeDefaults(TypedDict, total=False):
    """Options of `video_resize`. Brings a video to a size or a shape."""
    width: Optional[int]
    height: Optional[int]
    aspect: Optional[str]
    fit: Literal["pad", "cover", "blur_pad"]
    gravity: Literal["center", "top", "bottom", "left", "right", "top_left", "top_right", "bottom_left", "bottom_right", "attention", "entropy", "faces"]
    background: str


class VideoSpeedAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: VideoSpeedDefaults


class VideoSpeedAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `video_speed`."""
    auth: Dict[str, Any]
    defaults: VideoSpeedDefaults
    adapter_config: VideoSpeedAdapterConfigAdapterConfig


class VideoSpeedDefaults(TypedDict, total=False):
    """Options of `video_speed`. Plays a video slower or faster."""
    factor: float
    audio: Literal["keep", "mute", "stretch"]


class VideoThumbnailAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: VideoThumbnailDefaults


class VideoThumbnailAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `video_thumbnail`."""
    auth: Dict[str, Any]
    defaults: VideoThumbnailDefaults
    adapter_config: VideoThumbnailAdapterConfigAdapterConfig


class VideoThumbnailDefaults(TypedDict, total=False):
    """Options of `video_thumbnail`. Takes one frame of a video as a picture."""
    at: Union[Literal["best"], float]
    width: Optional[int]
    height: Optional[int]
    format: Literal["jpeg", "png"]


class VideoToGifAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: VideoToGifDefaults


class VideoToGifAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `video_to_gif`."""
    auth: Dict[str, Any]
    defaults: VideoToGifDefaults
    adapter_config: VideoToGifAdapterConfigAdapterConfig


class VideoToGifDefaults(TypedDict, total=False):
    """Options of `video_to_gif`. Makes an animated GIF or WebP of a few seconds."""
    start: float
    duration: float
    fps: float
    width: int
    format: Literal["gif", "webp"]
    max_bytes: int


class VideoTrimAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: Dict[str, Any]
    defaults: VideoTrimDefaults


class VideoTrimAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `video_trim`."""
    auth: Dict[str, Any]
    defaults: VideoTrimDefaults
    adapter_config: VideoTrimAdapterConfigAdapterConfig


class VideoTrimDefaults(TypedDict, total=False):
    """Options of `video_trim`. Cuts a part out of a video; only the groups of pictures at the cuts are encoded anew."""
    start: float
    end: Optional[float]
    duration: Optional[float]
    exact: bool


class WallKey(TypedDict):
    key_id: str
    experience_id: str
    name: Optional[str]
    created_at: str


class WallKeyInput(TypedDict, total=False):
    name: Optional[str]


class WallKeyList(TypedDict):
    items: List[WallKey]
    next_cursor: Optional[str]


class WouldBeMany(TypedDict):
    """Of a `dry_run`: nothing was changed."""
    count: int


class YoutubeUploadAdapterConfigAdapterConfig(TypedDict, total=False):
    """The nested shape."""
    auth: YoutubeUploadAuth
    defaults: YoutubeUploadDefaults


class YoutubeUploadAdapterConfig(TypedDict, total=False):
    """Credentials and default options of `youtube_upload`."""
    auth: YoutubeUploadAuth
    defaults: YoutubeUploadDefaults
    adapter_config: YoutubeUploadAdapterConfigAdapterConfig


class YoutubeUploadAuth(TypedDict, total=False):
    """Credentials of `youtube_upload`."""
    client_id: str
    client_secret: str
    refresh_token: str


class YoutubeUploadDefaults(TypedDict, total=False):
    """Options of `youtube_upload`. Puts the video onto a YouTube channel."""
    title: str
    description: str
    tags: List[str]
    category_id: str
    privacy_status: Literal["private", "unlisted", "public"]
    made_for_kids: bool
    notify_subscribers: bool
    playlist_id: str
    publish_at: str
    thumbnail_file_name: str
    api_base_url: str
    delivery_attempts: int
    delivery_backoff: float


class _YoutubeUploadResult(TypedDict):
    video_id: str
    url: str
    privacy_status: str


class YoutubeUploadResult(_YoutubeUploadResult, total=False):
    """What `youtube_upload` answers."""
    activity: List[str]


AudioConvertConfigurationInput = Any


AudioNormalizeConfigurationInput = Any


AzureBlobUploadConfigurationInput = Any


CallbackStatus = Literal["Waiting", "Delivered", "GivenUp"]


ConfigurationInput = Union["SingleConfigurationInput", "ChainedConfigurationInput"]


EmailSendConfigurationInput = Any


Ending = Literal["Succeeded", "Failed"]


EntryStatus = Literal["Waiting", "Running", "Succeeded", "Failed", "Cancelled", "Skipped"]


ErrorCode = Literal["bad_request", "bad_json", "bad_multipart", "bad_cursor", "bad_extras", "bad_options", "bad_chain", "bad_group", "over_limit", "unknown_configuration", "unknown_adapter", "unknown_asset", "secret_needed", "blocked_url", "unauthorized", "forbidden", "not_found", "method_not_allowed", "in_use", "name_taken", "lookup_taken", "wrong_state", "idempotency_conflict", "idempotency_in_progress", "gone", "changed_meanwhile", "wrong_tus_version", "too_large", "wrong_content_type", "bad_range", "upload_busy", "token_limit", "too_many_requests", "internal", "full", "unavailable", "unsupported_format", "corrupt_input", "too_many_pixels", "too_many_frames", "too_long", "time_limit", "memory_limit", "output_too_large", "people_unclear", "policy_blocked", "option_missing", "asset_missing", "tool_missing", "media_failed", "worker_died", "cancelled", "needs_consent", "no_consent", "download_failed", "destination_refused", "destination_unreachable", "destination_quota", "outcome_unknown"]


GcsUploadConfigurationInput = Any


HttpPostConfigurationInput = Any


LocalFileConfigurationInput = Any


MessageSendConfigurationInput = Any


OtherResult = Dict[str, Any]


PhotoAddOverlayConfigurationInput = Any


PhotoAddQrConfigurationInput = Any


PhotoAddTextConfigurationInput = Any


PhotoBlurFacesConfigurationInput = Any


PhotoChromaKeyConfigurationInput = Any


PhotoCollageConfigurationInput = Any


PhotoCompositorConfigurationInput = Any


PhotoConvertConfigurationInput = Any


PhotoCropConfigurationInput = Any


PhotoCutoutConfigurationInput = Any


PhotoFilterConfigurationInput = Any


PhotoFlipConfigurationInput = Any


PhotoPickConfigurationInput = Any


PhotoResizeConfigurationInput = Any


PhotoToVideoConfigurationInput = Any


PrintIppConfigurationInput = Any


Result = Union["AzureBlobUploadResult", "EmailSendResult", "GcsUploadResult", "HttpPostResult", "LocalFileResult", "MessageSendResult", "PrintIppResult", "S3UploadResult", "SftpUploadResult", "YoutubeUploadResult", "TransformerResult", "OtherResult"]


S3UploadConfigurationInput = Any


SftpUploadConfigurationInput = Any


SingleConfigurationInput = Union["AudioConvertConfigurationInput", "AudioNormalizeConfigurationInput", "AzureBlobUploadConfigurationInput", "EmailSendConfigurationInput", "GcsUploadConfigurationInput", "HttpPostConfigurationInput", "LocalFileConfigurationInput", "MessageSendConfigurationInput", "PhotoAddOverlayConfigurationInput", "PhotoAddQrConfigurationInput", "PhotoAddTextConfigurationInput", "PhotoBlurFacesConfigurationInput", "PhotoChromaKeyConfigurationInput", "PhotoCollageConfigurationInput", "PhotoCompositorConfigurationInput", "PhotoConvertConfigurationInput", "PhotoCropConfigurationInput", "PhotoCutoutConfigurationInput", "PhotoFilterConfigurationInput", "PhotoFlipConfigurationInput", "PhotoPickConfigurationInput", "PhotoResizeConfigurationInput", "PhotoToVideoConfigurationInput", "PrintIppConfigurationInput", "S3UploadConfigurationInput", "SftpUploadConfigurationInput", "VideoAddAudioConfigurationInput", "VideoAddOverlayConfigurationInput", "VideoAddTextConfigurationInput", "VideoBoomerangConfigurationInput", "VideoChromaKeyConfigurationInput", "VideoConvertConfigurationInput", "VideoCutoutConfigurationInput", "VideoFadeConfigurationInput", "VideoFlipConfigurationInput", "VideoJoinConfigurationInput", "VideoResizeConfigurationInput", "VideoSpeedConfigurationInput", "VideoThumbnailConfigurationInput", "VideoToGifConfigurationInput", "VideoTrimConfigurationInput", "YoutubeUploadConfigurationInput"]


TaskStatus = Literal["Waiting", "Running", "Succeeded", "Failed", "Cancelled"]


VideoAddAudioConfigurationInput = Any


VideoAddOverlayConfigurationInput = Any


VideoAddTextConfigurationInput = Any


VideoBoomerangConfigurationInput = Any


VideoChromaKeyConfigurationInput = Any


VideoConvertConfigurationInput = Any


VideoCutoutConfigurationInput = Any


VideoFadeConfigurationInput = Any


VideoFlipConfigurationInput = Any


VideoJoinConfigurationInput = Any


VideoResizeConfigurationInput = Any


VideoSpeedConfigurationInput = Any


VideoThumbnailConfigurationInput = Any


VideoToGifConfigurationInput = Any


VideoTrimConfigurationInput = Any


YoutubeUploadConfigurationInput = Any

