// Every setting of the service: its name, default, meaning and check. The only file that reads the environment.
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import {
  bad,
  choice,
  flag,
  list,
  MOST_TIMER,
  optional,
  optionalWhole,
  origin,
  packages,
  pairs,
  ranges,
  type Setting,
  seconds,
  secretKeys,
  share,
  text,
  token,
  url,
  whole,
} from './setting-kinds.ts'

export { BadSetting, TOKEN_LENGTH } from './setting-kinds.ts'

const MiB = 1024 ** 2
const GiB = 1024 ** 3

/** What a machine bears that also runs the API and the database; a limit of its container counts. */
export function fitting(cores: number, memory: number): { concurrency: number; maxMemoryBytes: number } {
  const beside = Math.floor((memory - 512 * MiB) / (512 * MiB))
  return {
    concurrency: Math.max(1, Math.min(cores, beside, 256)),
    maxMemoryBytes: Math.max(64 * MiB, Math.min(GiB, Math.floor(memory / 4))),
  }
}

/** Without a limit Node tells a number beyond all memory. */
const own = fitting(
  availableParallelism(),
  Math.min(process.constrainedMemory() || Number.MAX_SAFE_INTEGER, totalmem()),
)

export const table = {
  host: text('HOST', '127.0.0.1', 'Address the service listens on.'),
  port: whole('PORT', 8080, 'Port the service listens on; 0 picks a free one.', 0, 65535),
  data: text(
    'KEEPSAKE_DATA',
    './data',
    'Folder of the embedded database, the files and the keys. Safe to copy when stopped.',
  ),
  databaseUrl: url(
    'DATABASE_URL',
    ['postgres:', 'postgresql:'],
    'An external PostgreSQL (15 or newer). Unset: one is embedded and kept in the data folder.',
  ),
  databaseSessionUrl: url(
    'DATABASE_SESSION_URL',
    ['postgres:', 'postgresql:'],
    'The same database past the pooler, when DATABASE_URL leads through one in transaction mode: for what needs a connection of its own.',
  ),
  blobs: optional(
    'KEEPSAKE_BLOBS',
    'Where files are kept: `file:PATH` on a local disk (default: `blobs` in the data folder) or `s3://BUCKET/PREFIX?endpoint=URL&region=R`.',
  ),
  s3AccessKey: optional('AWS_ACCESS_KEY_ID', 'Access key of an S3 blob store.'),
  s3SecretKey: optional('AWS_SECRET_ACCESS_KEY', 'Secret key of an S3 blob store.'),
  s3SessionToken: optional('AWS_SESSION_TOKEN', 'Session token of an S3 blob store.'),
  role: choice(
    'KEEPSAKE_ROLE',
    ['all', 'api', 'worker'],
    'all',
    'What this machine does; `api` and `worker` need DATABASE_URL.',
  ),
  concurrency: {
    ...whole(
      'KEEPSAKE_CONCURRENCY',
      own.concurrency,
      'Encodes at once per worker; twice as many pictures. Default: the cores, but one for each 512 MiB of memory beyond the first at most.',
      1,
      256,
    ),
    shown: 'the cores',
  },
  adminToken: token(
    'KEEPSAKE_ADMIN_TOKEN',
    'A token that is always valid, of 24 characters or more. Unset: one is made at the first start and kept as `admin-token` in the data folder.',
  ),
  secretKeys: secretKeys(
    'KEEPSAKE_SECRET_KEY',
    'Key for secrets at rest: 32 bytes, base64; to change it a comma list, the newest first, and `keepsake rotate-key`. Unset: made at the first start as `secret-key` in the data folder.',
  ),
  allowHosts: list(
    'KEEPSAKE_ALLOW_HOSTS',
    'Comma list of hosts, IPs or CIDRs that callbacks, adapters and input URLs may reach although they are private or plain HTTP.',
  ),
  corsOrigins: list('KEEPSAKE_CORS_ORIGINS', 'Comma list of web origins whose pages may call the API.'),
  trustProxy: ranges(
    'KEEPSAKE_TRUST_PROXY',
    'Comma list of IP addresses or CIDR ranges of proxies in front: their `X-Forwarded-For` says who asks. Unset: whoever connects.',
  ),
  callbackDelays: seconds(
    'KEEPSAKE_CALLBACK_DELAYS',
    [5, 30, 120, 600, 1800, 3600, 10800, 21600, 43200, 86400],
    'Seconds between the attempts of a callback.',
  ),
  openMetrics: flag('KEEPSAKE_OPEN_METRICS', 'Serve /metrics without a token.'),
  workerPort: optionalWhole(
    'KEEPSAKE_WORKER_PORT',
    'Port on which a worker answers `/healthz`, `/readyz` and `/metrics`, at the address HOST; 0 picks a free one. Unset: none.',
    0,
    65535,
  ),
  oidcIssuer: url(
    'KEEPSAKE_OIDC_ISSUER',
    ['http:', 'https:'],
    'Issuer of an OpenID provider with which [people sign in](#signing-in-as-a-person) to the console, like `https://id.example.com`. Unset: with tokens alone.',
  ),
  oidcClientId: optional('KEEPSAKE_OIDC_CLIENT_ID', 'Client id that the provider gave to this Keepsake.'),
  oidcClientSecret: optional('KEEPSAKE_OIDC_CLIENT_SECRET', 'Its secret. Unset: a public client, with PKCE alone.'),
  oidcRoles: optional(
    'KEEPSAKE_OIDC_ROLES',
    'What people may do, by values of a claim: a JSON object, like `{"crew": {"scope": "tasks", "experiences": ["expo-2026"]}, "admins": {"scope": "admin"}}`. The first that fits counts; `*` is anybody.',
  ),
  oidcClaim: text(
    'KEEPSAKE_OIDC_CLAIM',
    'groups',
    'The claim that holds those values; dots lead inside, like `realm_access.roles`.',
  ),
  oidcScopes: text(
    'KEEPSAKE_OIDC_SCOPES',
    'openid profile email',
    'What the provider is asked for, with spaces between.',
  ),
  oidcName: optional(
    'KEEPSAKE_OIDC_NAME',
    'The name of the provider on the sign-in page. Unset: the host of the issuer.',
  ),
  oidcSessionHours: whole('KEEPSAKE_OIDC_SESSION_HOURS', 12, 'Hours until a person signs in again.', 1, 336),
  consoleUrl: origin(
    'KEEPSAKE_CONSOLE_URL',
    'Address under which people open the console: for the way back from an OpenID provider, and where it has the name of `KEEPSAKE_PUBLIC_URL` with another port. Unset: what the request says.',
  ),
  otlpEndpoint: url(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    ['http:', 'https:'],
    'Base address of an OpenTelemetry collector, like `http://127.0.0.1:4318`; [traces](#traces) go to `/v1/traces` below it. Unset: nothing is traced.',
  ),
  otlpTracesEndpoint: url(
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    ['http:', 'https:'],
    'The whole address that traces go to, in place of the one above.',
  ),
  otlpHeaders: pairs('OTEL_EXPORTER_OTLP_HEADERS', 'Headers for the collector: `KEY=VALUE,KEY=VALUE`.'),
  otlpTracesHeaders: pairs('OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'The same for traces alone; they win.'),
  otlpProtocol: choice(
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    ['http/json'],
    'http/json',
    'How traces are written: JSON over HTTP, which every collector takes on its HTTP port.',
  ),
  otlpTimeoutMs: whole('OTEL_EXPORTER_OTLP_TIMEOUT', 10_000, 'Milliseconds that the collector may take.', 1, 600_000),
  tracesExporter: choice('OTEL_TRACES_EXPORTER', ['otlp', 'none'], 'otlp', '`none` turns traces off.'),
  tracesSampler: choice(
    'OTEL_TRACES_SAMPLER',
    [
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ],
    'parentbased_always_on',
    'Which requests are traced. With `parentbased_` a request that brings a `traceparent` has decided already.',
  ),
  tracesSamplerArg: share('OTEL_TRACES_SAMPLER_ARG', 1, 'The share of the samplers with a ratio.'),
  serviceName: optional('OTEL_SERVICE_NAME', 'The name in traces. Unset: `keepsake`.'),
  resourceAttributes: pairs('OTEL_RESOURCE_ATTRIBUTES', 'What traces tell of this deployment: `KEY=VALUE,KEY=VALUE`.'),
  otelDisabled: flag('OTEL_SDK_DISABLED', 'Turns traces off, whatever else is set.'),
  logLevel: choice(
    'KEEPSAKE_LOG_LEVEL',
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'How much is logged.',
  ),
  adapters: packages(
    'KEEPSAKE_ADAPTERS',
    'Comma list of packages that bring further adapters: names, or paths of their folders ([how](adapters/writing.md#load-it)).',
  ),
  publicUrl: origin(
    'KEEPSAKE_PUBLIC_URL',
    'Address under which guests reach their pages, like `https://photos.example.com`. Unset: `http://HOST:PORT`. With a host of its own only the pages of guests are served there ([which requests](guests.md#their-own-address)).',
  ),
  localRoot: optional(
    'KEEPSAKE_LOCAL_ROOT',
    'Folder below which `local_file` may write; `{experience_id}` in it gives each experience a folder of its own. Unset: that adapter is off.',
  ),
  ffmpeg: text('FFMPEG_PATH', 'ffmpeg', 'The ffmpeg to use, 5.1 or newer.'),
  ffprobe: text('FFPROBE_PATH', 'ffprobe', 'The ffprobe to use.'),
  keepFilesDays: whole(
    'KEEPSAKE_KEEP_FILES_DAYS',
    7,
    'Days the files of a finished task are kept (an experience may set its own).',
    0,
    36500,
  ),
  keepRecordsDays: whole('KEEPSAKE_KEEP_RECORDS_DAYS', 90, 'Days the record of a finished task is kept.', 1, 36500),
  keepVersionsDays: whole(
    'KEEPSAKE_KEEP_VERSIONS_DAYS',
    90,
    'Days a replaced version of a configuration or an asset is kept, with its file.',
    0,
    36500,
  ),
  maxVersions: whole(
    'KEEPSAKE_MAX_VERSIONS',
    20,
    'Versions of one configuration or asset that are kept beside the current one.',
    0,
    1000,
  ),
  keepAuditDays: whole('KEEPSAKE_KEEP_AUDIT_DAYS', 365, 'Days the audit keeps who changed what.', 1, 36500),
  maxUploadBytes: whole('KEEPSAKE_MAX_UPLOAD_BYTES', 4 * GiB, 'Bytes of one uploaded file.'),
  maxOpenUploads: whole(
    'KEEPSAKE_MAX_OPEN_UPLOADS',
    1_000,
    'Resumable uploads of one token that no task has taken yet, finished or not.',
  ),
  maxRequestBytes: whole('KEEPSAKE_MAX_REQUEST_BYTES', 16 * GiB, 'Bytes of one multipart request with all its files.'),
  maxParts: whole('KEEPSAKE_MAX_PARTS', 256, 'Parts of one multipart request.'),
  maxExtrasBytes: whole('KEEPSAKE_MAX_EXTRAS_BYTES', 256 * 1024, 'Bytes of `extras`.'),
  maxChain: whole('KEEPSAKE_MAX_CHAIN', 64, 'Entries of a chain once unfolded.'),
  maxGroup: whole('KEEPSAKE_MAX_GROUP', 64, 'Configurations of a task group.'),
  maxPixels: whole('KEEPSAKE_MAX_PIXELS', 150_000_000, 'Pixels of a picture (width × height).'),
  maxFrames: whole('KEEPSAKE_MAX_FRAMES', 500, 'Frames of an animated picture.'),
  maxMemoryBytes: {
    ...whole(
      'KEEPSAKE_MAX_MEMORY_BYTES',
      own.maxMemoryBytes,
      'Memory that the pictures of one worker, and what options have drawn on them, may take together; big ones wait for room. Beside work that lasts longer than a few seconds there is the same room once more. Default: a quarter of the machine’s memory, 1 GiB at most.',
      64 * MiB,
    ),
    shown: '1 GiB',
  },
  maxVideoSeconds: whole('KEEPSAKE_MAX_VIDEO_SECONDS', 4 * 3600, 'Seconds of a video or a recording.'),
  maxVideoPixels: whole('KEEPSAKE_MAX_VIDEO_PIXELS', 3840 * 2160, 'Pixels of a video frame.'),
  maxVideoFps: whole('KEEPSAKE_MAX_VIDEO_FPS', 240, 'Frames per second of a video; phones record slow motion at 240.'),
  maxEntrySeconds: whole('KEEPSAKE_MAX_ENTRY_SECONDS', 30 * 60, 'Running time of one entry.', 1, MOST_TIMER),
  maxTaskSeconds: whole(
    'KEEPSAKE_MAX_TASK_SECONDS',
    2 * 3600,
    'Running time of a task; waiting for a quota or a retry does not count.',
    1,
    MOST_TIMER,
  ),
  maxWaiting: whole(
    'KEEPSAKE_MAX_WAITING',
    100_000,
    'Tasks waiting at once; then requests are answered 503 with Retry-After.',
  ),
  maxPreviews: whole(
    'KEEPSAKE_MAX_PREVIEWS',
    2,
    'Previews and outputs of melted entries that one API makes at once, half of them for one experience; further ones wait.',
  ),
  maxRequests: whole(
    'KEEPSAKE_MAX_REQUESTS',
    500,
    'Requests of one token under way at once at one API, uploads and downloads too; then they are answered 429.',
  ),
  maxConnections: whole(
    'KEEPSAKE_MAX_CONNECTIONS',
    4_000,
    'Connections to one API at once; further ones are closed as they come.',
  ),
  maxSignIns: whole('KEEPSAKE_MAX_SIGN_INS', 10, 'Sign-ins to the console a minute from one address, at one API.'),
  maxBadTokens: whole(
    'KEEPSAKE_MAX_BAD_TOKENS',
    3_000,
    'Requests with a token or cookie that is not valid a minute from one address, at one API; then only those that were valid here before are looked at.',
  ),
  failpoint: optional(
    'KEEPSAKE_FAILPOINT',
    'For tests of crashes: `NAME:FLAGFILE` kills the process at that place, once; `NAME#2:FLAGFILE` the second time it comes there; `@PATH` as a file says that may change meanwhile. Never set it where work matters.',
  ),
} as const

export type Settings = { readonly [K in keyof typeof table]: ReturnType<(typeof table)[K]['fallback']> }

/** Settings from the environment over those of a `.env` file in the working directory. */
export function loadSettings(env: NodeJS.ProcessEnv = process.env, envFile = resolve('.env')): Settings {
  const values = { ...(existsSync(envFile) ? parseEnv(readFileSync(envFile, 'utf8')) : {}), ...env }
  const read = Object.entries(table).map(([key, setting]: [string, Setting<unknown>]) => {
    const value = values[setting.name]?.trim()
    return [key, value === undefined || value === '' ? setting.fallback() : setting.parse(value)]
  })
  const settings = Object.fromEntries(read) as Settings
  if (settings.databaseSessionUrl !== null && settings.databaseUrl === null)
    throw bad(table.databaseSessionUrl.name, 'is for a pooler that DATABASE_URL names, which is not set')
  if (settings.oidcIssuer !== null && settings.oidcClientId === null)
    throw bad(table.oidcClientId.name, `must be set where ${table.oidcIssuer.name} is`)
  return Object.freeze({ ...settings, data: resolve(settings.data) })
}

/** The address that guests see. It never comes from a request. */
export const publicUrlOf = ({ publicUrl, host, port }: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string =>
  publicUrl ?? `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`

/** The environment that our own processes are started with. */
export const ownEnvironment = (): NodeJS.ProcessEnv => process.env

/** All that a media child sees of our settings: whose adapters it runs. */
export function mediaEnvironment({ adapters }: Pick<Settings, 'adapters'>): Record<string, string> {
  return adapters.length === 0 ? {} : { KEEPSAKE_ADAPTERS: adapters.join(',') }
}

/** Where programs are looked for. */
export const searchPath = (): string => process.env.PATH ?? ''
