// A database as it is after a long season: a hundred thousand of everything, written straight into the tables.
import pg from 'pg'
import { type GuestPage, plainGuestPage } from '#kit/guest/guest-page.ts'
import { newWebhookSecret, type SecretBox } from '#kit/secret/secrets.ts'
import { someCallbackBody } from './callbacks.ts'

export const MANY = 100_000
/** Of what is open at the same time: waiting tasks and callbacks, failures of the last hour. */
const OPEN = MANY / 10

/** Of each kind that is past its time. */
const PAST = 300

const rows = (count = MANY, from = 1) => `generate_series(${from}, ${from + count - 1}) n`
/** Ids that can be told from the number, so that tables can be filled apart from each other. */
const id = (kind: string, n = 'n') => `('${kind}000000-0000-7000-8000-' || lpad(${n}::text, 12, '0'))::uuid`

const blob = (kind: string) => `${id(kind)}::text`

const TASK = 'a1'
const CHAIN = 'a2'
const PROFILE = 'a3'
const VERSION = 'a4'
const CALLBACK = 'a5'
const JOB = 'a6'
const KEEPSAKE = 'a7'

/** Most of what waits for the wall waits for ever. */
const wall = `case n % 10 when 0 then 'hidden' when 1 then 'approved' else 'waiting' end`

/** What became of the task with that number. The newest ones are open. */
const states = `
  case when n > ${MANY} - ${OPEN} then 'Waiting' when n > ${MANY} - ${2 * OPEN} then 'Failed' else 'Succeeded' end`
const isOpen = `n > ${MANY} - ${OPEN}`
/** The last tenth of those that wait has no job: its experience runs as many as it may. */
const isParked = `n > ${MANY} - ${OPEN / 10}`
/** Half of those whose files would be gone: their keepsakes are on pages that stay longer. */
const isKept = `n between ${OPEN} + 1 and ${2 * OPEN} and n % 2 = 0`
const experience = `case when ${isParked} then 'limited' when n % 1000 = 7 then 'seldom' when n <= ${OPEN} then 'archive' when ${isKept} then 'fair' else 'often' end`
/** The archive is old and kept for ever, so it is past the time of its records but not of its files. */
const ended = `case when ${isOpen} then null when n <= ${OPEN} then now() - interval '200 days' when n <= ${2 * OPEN} then now() - interval '20 days' - n * interval '1 second'
  else now() - interval '2 minutes' - (${MANY} - n) * interval '0.15 second' end`

/** Things that are there, by the names that parameters of the API have for them. */
export const someOf = {
  experience_id: 'often',
  configuration_name: 'c555',
  configuration: 'c555',
  adapter_name: 'photo_flip',
  kind: 'transformer',
  name: 'asset50001',
  profile_id: 'a3000000-0000-7000-8000-000000050001',
  owner_id: 'a3000000-0000-7000-8000-000000050001',
  email: '50001@x.org',
  qr_code: 'nobody',
  rfid: 'nobody',
  task_id: 'a1000000-0000-7000-8000-000000050001',
  group_id: 'a1000000-0000-7000-8000-000000050000',
  callback_id: 'a5000000-0000-7000-8000-000000050001',
  activity_type: 'photo',
  keepsake_id: 'a7000000-0000-7000-8000-000000050001',
}

/** On a database with all migrations and the tables of the queue. */
export async function fillWithMany(url: string, box: SecretBox): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // Keys to other tables are right as they are, and looking at each of a million takes longer than the rest.
    await client.query('set session_replication_role = replica')
    // Made anew at the end: filled row by row they would take most of the time.
    const { rows: search } = await client.query<{ name: string; made: string }>(
      `select indexname as name, indexdef as made from pg_indexes where schemaname = 'public' and indexname like '%\\_search'`,
    )
    for (const { name } of search) await client.query(`drop index ${name}`)
    for (const statement of statements) await client.query(statement)
    for (const { made } of search) await client.query(made)
    const { rows: experiences } = await client.query<{ id: string }>('select experience_id as id from experiences')
    const ids = experiences.map(({ id }) => id)
    await client.query(
      'update experiences set webhook_secret = s from unnest($1::text[], $2::bytea[]) x (id, s) where experience_id = id',
      [ids, ids.map(id => box.seal(newWebhookSecret(), `experience:${id}`))],
    )
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

const longPage: GuestPage = { ...plainGuestPage, enabled: true, expires_days: 90 }

const statements = [
  `insert into experiences (experience_id, webhook_secret, retention_days, max_running, guest_page, created_at, updated_at)
   select e, ''::bytea, case e when 'archive' then 36500 end, case e when 'limited' then 1 end, case e when 'fair' then '${JSON.stringify(longPage)}'::json end, now(), now()
   from unnest(array['often', 'seldom', 'archive', 'limited', 'fair']) e
   union all select 'e' || n, '', null, null, null, now(), now() from ${rows(1_000)}`,
  `insert into configurations (configuration_name, experience_id, kind, adapter_name, defaults, created_at, updated_at)
   select 'c' || n, 'e' || n, 'transformer', 'photo_flip', '{}', now(), now() from ${rows(1_000)}`,
  // Chains and their members, beside the configurations that the rest of this list refers to. With more of them reading all would look dear to the planner.
  `insert into configurations (configuration_name, experience_id, kind, adapter_name, defaults, created_at, updated_at)
   select 'm' || n, 'often', case when n > 10 then 'chain' else 'transformer' end, case when n <= 10 then 'photo_flip' end, case when n <= 10 then '{}'::json end, now(), now() from ${rows(20_000)}`,
  `insert into chain_members (chain, member) select 'm' || n, 'm' || n % 7 + 1 from ${rows(20_000)} where n > 10`,
  `update configurations set history = ${id('c7', 'substr(configuration_name, 2)')}, version = 100 where configuration_name like 'c%'`,
  `insert into configuration_versions (history, version, configuration_name, experience_id, kind, adapter_name, defaults, change, created_at, replaced_at)
   select ${id('c7', '(n % 1000)')}, n / 1000 + 1, 'c' || n % 1000, 'e' || n % 1000, 'transformer', 'photo_flip', '{}', 'made', now(), case when n > 1000 then now() end from ${rows()}`,
  `insert into configuration_versions (history, version, configuration_name, kind, change, created_at, replaced_at) select ${id('c8')}, 1, 'old', 'chain', 'made', now(), now() - interval '200 days' from ${rows(PAST)}`,
  `insert into deletions (history, noun, name, experience_id, version, made_at, deleted_at) select ${id('c9')}, 'asset', 'gone' || n, 'often', 1, now(), now() from ${rows()}`,
  `insert into deletions (history, noun, name, experience_id, version, made_at, deleted_at) select ${id('ca')}, 'configuration', 'past' || n, 'often', 1, now(), now() - interval '40 days' from ${rows(PAST)}`,
  `insert into audit_events (event_id, action, object, object_id, experience_id, actor_kind, token_id, actor, created_at)
   select ${id('cb')}, case n % 10 when 0 then 'delete' else 'update' end, 'profile', n::text, case when n % 1000 = 7 then 'seldom' else 'often' end, 'token', ${id('cc', '(n % 100)')}, 't' || n % 100, now() - n * interval '1 second' from ${rows()}`,
  `insert into audit_events (event_id, action, object, object_id, actor_kind, actor, created_at)
   select ${id('cd')}, 'update', 'token', 'old', 'session', 'operator', now() - interval '400 days' from ${rows(PAST)}`,
  `insert into tokens (token_id, name, hash, scopes, created_at) select gen_random_uuid(), 't', sha256(n::text::bytea), '{read}', now() from ${rows(OPEN)}`,
  `insert into token_use (token_id, what, since, amount) select token_id, 'requests', now(), 1 from tokens`,
  `insert into sessions (hash, expires_at, created_at) select sha256(n::text::bytea), now() + interval '1 hour', now() from ${rows(OPEN)}`,
  `insert into uploads (blob, created_at) select ${blob('d2')}, now() from ${rows(OPEN)}`,
  `insert into resumable_uploads (upload_id, token_id, length, metadata, created_at, expires_at)
   select gen_random_uuid(), 'token' || n % 1000, 10, '{}', now(), now() + interval '1 day' from ${rows()}`,
  `insert into idempotency_keys (key, token, fingerprint, created_at) select 'k' || n, 't', 'f', now() - interval '1 hour' from ${rows()}`,
  `insert into turns (lane, share, tag) select 'callback', 'r' || n, 1000000 + n from ${rows(OPEN)}`,
  `insert into minutes (width, minute, experience_id, succeeded, failed, latency)
   select 1, date_trunc('minute', now()) - n * interval '1 minute', case e when 0 then '' else 'e' || e end, 1, 1, '{"20": 2}' from ${rows(OPEN)}, generate_series(0, 9) e`,
  // Half of all versions were replaced, and a task needs each of them still.
  `insert into asset_versions (version_id, name, blob, mime, medium, ext, bytes, sha256, created_at, sweep_at)
   select ${id(VERSION)}, 'asset' || n, ${blob('d1')}, 'image/png', 'image', '.png', 1, 'a', now(), case when n % 2 = 0 then now() - interval '1 day' end from ${rows()}`,
  `insert into assets (name, experience_id, version_id, created_at, updated_at) select 'asset' || n, 'often', ${id(VERSION)}, now() - n * interval '1 second', now() from ${rows()} where n % 2 = 1`,
  `insert into profiles (profile_id, experience_id, attributes, created_at, updated_at) select ${id(PROFILE)}, case when n % 1000 = 7 then 'seldom' else 'often' end, json_build_object('first_name', 'Guest ' || n), now() - n * interval '1 second', now() from ${rows()}`,
  `insert into profile_lookups (kind, key, value, position, profile_id, experience_id) select 'email', n || '@x.org', n || '@x.org', 0, ${id(PROFILE)}, case when n % 1000 = 7 then 'seldom' else 'often' end from ${rows()}`,
  `insert into snapshots (snapshot_id, body, used_at) select 's' || n, '{"entries":[]}', now() - interval '2 days' from ${rows()}`,
  `insert into tasks (task_id, flow_id, is_group, configuration, experience_id, status, lane, job_id, keepsake_id, created_at, ended_at, files_deleted_at)
   select ${id(TASK)}, ${id(TASK)}, n % 10 = 0, 'c' || n % 1000, ${experience}, ${states}, 'picture', case when ${isOpen} and not ${isParked} then ${id(JOB)} end, case when ${isKept} then ${id(KEEPSAKE)} end,
     coalesce(${ended}, now()) - interval '1 minute', ${ended}, case when n between ${OPEN} + 1 and ${2 * OPEN} and not (${isKept}) then now() end from ${rows()}`,
  // Behind the tasks: the longer it took to make them, the more of them would be counted at once.
  `insert into deployment (key, value) values ('minutes counted up to', to_char(now() at time zone 'utc' - interval '3 minutes', 'YYYY-MM-DD"T"HH24:MI":00.000Z"')::bytea)`,
  `insert into chains (chain_id, task_id, index, configuration, snapshot_id, status, extras, input, assets, group_created_at, group_experience_id, file_name, file_is_group, file_experience_id)
   select ${id(CHAIN)}, ${id(TASK)}, 0, 'c' || n % 1000, 's' || n, ${states}, '{}', '{"url":"https://x.test/"}', json_build_object('asset' || n, json_build_object('blob', ${blob('d1')})),
     case when n % 10 = 0 then now() end, case when n % 10 = 0 then ${experience} end, 'img_' || n || '.jpg', n % 10 = 0, ${experience} from ${rows()}`,
  `insert into asset_pins (blob, task_id) select ${blob('d1')}, ${id(TASK)} from ${rows()}`,
  `insert into entries (chain_id, index, configuration, adapter_name, status, error, ended_at) select ${id(CHAIN)}, 0, 'c' || n % 1000, 'photo_flip', ${states}, '{"code":"x","message":"m"}', now() from ${rows()}`,
  `insert into keepsakes (keepsake_id, experience_id, code_hash, code, used_at, created_at, wall_state)
   select ${id(KEEPSAKE)}, ${experience}, sha256(n::text::bytea), '', now(), now() - n * interval '1 second', ${wall} from ${rows()}`,
  `insert into keepsake_files (keepsake_id, number, chain_id, experience_id, accepted_at, wall_state)
   select ${id(KEEPSAKE)}, 0, ${id(CHAIN)}, ${experience}, now() - n * interval '1 second', ${wall} from ${rows()}`,
  `insert into wall_keys (key_id, experience_id, key_hash, created_at) select gen_random_uuid(), 'e' || n % 1000 + 1, sha256(n::text::bytea), now() from ${rows(OPEN)}`,
  `insert into task_failures (failure_id, task_id, run, chain_id, index, outcome, attempt, code, message)
   select gen_random_uuid(), ${id(TASK)}, 1, ${id(CHAIN)}, 0, 'Failed', 1, 'x', 'm' from ${rows()}`,
  `insert into task_errors (task_id, code, is_group, experience_id, created_at)
   select t.task_id, 'x', is_group, experience_id, created_at from tasks t where status = 'Failed'`,
  `insert into pgboss.job (id, name, data, start_after) select ${id(JOB)}, 'picture', '{"turn":1}', now() + interval '1 year' from ${rows(OPEN - OPEN / 10, MANY - OPEN + 1)}`,
  `insert into lookups (task_id, chain_id, entry, kind, key, activity) select ${id(TASK)}, ${id(CHAIN)}, 0, 'rfid', n::text, '{}' from ${rows()}`,
  `insert into task_guests (profile_id, task_id) select ${id(PROFILE)}, ${id(TASK)} from ${rows()}`,
  `insert into activities (activity_id, task_id, chain_id, entry, owner_id, experience_id, activity_type, flow_id, payload, created_at)
   select gen_random_uuid(), ${id(TASK)}, ${id(CHAIN)}, 0, ${id(PROFILE)}, ${experience}, 'photo', ${id(TASK)}, '{}', now() - n * interval '1 second' from ${rows()}`,
  // A tenth waits for its next attempt, another is due and waits for a receiver that is slow.
  `insert into callbacks (callback_id, task_id, run, experience_id, url, receiver, body, status, attempt_count, next_attempt_at, job_id, created_at, updated_at)
   select ${id(CALLBACK)}, ${id(TASK)}, 1, ${experience}, 'https://x.test/', 'r' || n % 100, '${someCallbackBody}', case when n <= ${2 * OPEN} then 'Waiting' else 'Delivered' end, 1,
     case when n <= ${OPEN} then now() - interval '10 minutes' when n <= ${2 * OPEN} then now() + interval '1 hour' end, case when n <= ${2 * OPEN} then ${id(JOB)} end,
     now() - n * interval '1 second', now() from ${rows()}`,
  `insert into callback_attempts (callback_id, at, error, duration_ms) select ${id(CALLBACK)}, now(), 'away', 1 from ${rows()}`,
  `insert into pgboss.job (id, name, data, start_after) select ${id(JOB)}, 'callback', '{"turn":1}', now() + interval '1 year' from ${rows(2 * OPEN)}`,
  // What the first sweep and the first look for dead workers find.
  `insert into experiences (experience_id, webhook_secret, created_at, updated_at) values ('past', '', now(), now())`,
  `insert into tasks (task_id, flow_id, is_group, configuration, experience_id, status, lane, created_at, ended_at)
   select ${id('b1')}, ${id('b1')}, false, 'c1', 'past', 'Failed', 'picture', now() - interval '101 days', now() - interval '100 days' from ${rows(PAST)}`,
  `insert into chains (chain_id, task_id, index, configuration, snapshot_id, status, extras, input, assets)
   select ${id('b2')}, ${id('b1')}, 0, 'c1', 's1', 'Failed', '{}', '{}', '{}' from ${rows(PAST)}`,
  `insert into entries (chain_id, index, configuration, adapter_name, status) select ${id('b2')}, 0, 'c1', 'photo_flip', 'Failed' from ${rows(PAST)}`,
  `insert into callbacks (callback_id, task_id, run, experience_id, url, receiver, body, status, task_gone, created_at, updated_at)
   select ${id('b5')}, ${id('b1')}, 1, 'past', 'u', 'r', '${someCallbackBody}', 'GivenUp', n % 2 = 0, now(), now() from ${rows(PAST)}`,
  `insert into asset_versions (version_id, name, blob, mime, medium, ext, bytes, sha256, created_at, sweep_at)
   select ${id('b4')}, 'old', ${blob('d4')}, 'image/png', 'image', '.png', 1, 'a', now(), now() - interval '2 days' from ${rows(PAST)}`,
  `insert into uploads (blob, created_at) select ${blob('d3')}, now() - interval '1 day' from ${rows(PAST)}`,
  `insert into resumable_uploads (upload_id, token_id, length, metadata, created_at, expires_at)
   select gen_random_uuid(), 'token1', 10, '{}', now(), now() - n * interval '1 second' from ${rows(PAST)}`,
  `insert into idempotency_keys (key, token, fingerprint, created_at) select 'old' || n, 't', 'f', now() - interval '2 days' from ${rows(PAST)}`,
  `insert into tasks (task_id, flow_id, is_group, configuration, experience_id, status, lane, worker_id, job_id, created_at)
   select ${id('c1')}, ${id('c1')}, false, 'c1', 'past', 'Running', 'picture', case when n < 5 then gen_random_uuid() end, gen_random_uuid(), now() - interval '1 hour' from ${rows(10)}`,
  `insert into callbacks (callback_id, task_id, run, experience_id, url, receiver, body, status, next_attempt_at, worker_id, created_at, updated_at)
   select ${id('c5')}, ${id('c1')}, 1, 'past', 'u', 'r', '${someCallbackBody}', 'Waiting', now() - interval '1 hour', case when n < 5 then gen_random_uuid() end, now(), now() from ${rows(10)}`,
]
