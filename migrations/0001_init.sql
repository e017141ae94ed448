-- The whole first schema. Ids are made by the service (UUID v7); times are UTC.

create table deployment (
  key text primary key,
  value bytea not null
);
comment on table deployment is 'Facts of this deployment: the probe that proves the secret key, for one.';

create table experiences (
  experience_id text primary key,
  name text,
  max_running integer,
  retention_days integer,
  webhook_secret bytea not null,
  old_webhook_secret bytea,
  old_webhook_secret_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index experiences_newest on experiences (created_at desc, experience_id desc);

create table tokens (
  token_id uuid primary key,
  name text not null,
  hash bytea not null unique,
  scopes text[] not null,
  experiences text[],
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null
);
create index tokens_newest on tokens (created_at desc, token_id desc);

create table sessions (
  hash bytea primary key,
  token_id uuid references tokens on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
comment on column sessions.token_id is 'Null: signed in with the operator''s own admin token.';
create index sessions_expiry on sessions (expires_at);

create table configurations (
  configuration_name text primary key,
  experience_id text not null references experiences,
  kind text not null check (kind in ('transformer', 'destination', 'chain')),
  adapter_name text,
  defaults json,
  auth bytea,
  activity_config json,
  call_chain json,
  webhook_url text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index configurations_newest on configurations (created_at desc, configuration_name desc);
create index configurations_experience on configurations (experience_id, created_at desc, configuration_name desc);
create index configurations_adapter on configurations (adapter_name, created_at desc, configuration_name desc);
create index configurations_kind on configurations (kind, created_at desc, configuration_name desc);

create table chain_members (
  chain text not null references configurations (configuration_name) on delete cascade,
  member text not null references configurations (configuration_name),
  primary key (chain, member)
);
create index chain_members_member on chain_members (member);

create table asset_versions (
  version_id uuid primary key,
  name text not null,
  blob text not null,
  mime text not null,
  medium text not null,
  ext text not null,
  bytes bigint not null,
  sha256 text not null,
  width integer,
  height integer,
  duration double precision,
  frames integer,
  created_at timestamptz not null,
  replaced_at timestamptz
);
create index asset_versions_replaced on asset_versions (replaced_at) where replaced_at is not null;

create table assets (
  name text primary key,
  experience_id text not null references experiences,
  version_id uuid not null references asset_versions,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index assets_newest on assets (created_at desc, name desc);
create index assets_experience on assets (experience_id, created_at desc, name desc);

create table asset_uses (
  configuration_name text not null references configurations on delete cascade,
  asset text not null references assets (name),
  primary key (configuration_name, asset)
);
create index asset_uses_asset on asset_uses (asset);

create table profiles (
  profile_id uuid primary key,
  experience_id text references experiences,
  attributes json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index profiles_newest on profiles (created_at desc, profile_id desc);
create index profiles_experience on profiles (experience_id, created_at desc, profile_id desc);

create table profile_lookups (
  kind text not null check (kind in ('email', 'qr_code', 'rfid')),
  key text not null,
  value text not null,
  position integer not null,
  profile_id uuid not null references profiles on delete cascade,
  primary key (kind, key)
);
comment on column profile_lookups.key is 'The value as it is compared: an email in lower case.';
create index profile_lookups_profile on profile_lookups (profile_id);

create sequence changes;
comment on sequence changes is 'Orders every change of a task or entry; the id of server-sent events.';

create table snapshots (
  snapshot_id text primary key,
  body json not null,
  used_at timestamptz not null
);
comment on table snapshots is 'An unfolded chain with all its configurations, kept once per content (the id is its hash).';

create table tasks (
  task_id uuid primary key,
  flow_id uuid not null,
  is_group boolean not null,
  configuration text not null,
  experience_id text not null,
  status text not null check (status in ('Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled')),
  lane text not null,
  run integer not null default 1,
  lease integer not null default 0,
  worker_id uuid,
  job_id uuid,
  webhook_url text,
  warnings json not null default '[]',
  cancel_requested boolean not null default false,
  spent_seconds double precision not null default 0,
  change bigint not null default nextval('changes'),
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  files_deleted_at timestamptz
);
comment on column tasks.run is 'Counts retries; each run has one callback.';
comment on column tasks.lease is 'Counts claims by workers; every write of a worker names the lease it holds.';
create index tasks_newest on tasks (created_at desc, task_id desc);
create index tasks_status on tasks (is_group, status, created_at desc, task_id desc);
create index tasks_experience on tasks (experience_id, is_group, created_at desc, task_id desc);
create index tasks_configuration on tasks (configuration, is_group, created_at desc, task_id desc);
create index tasks_open on tasks (experience_id, status) where status in ('Waiting', 'Running');
create index tasks_worker on tasks (worker_id) where status = 'Running';
create index tasks_files on tasks (ended_at) where files_deleted_at is null and ended_at is not null;
create index tasks_ended on tasks (ended_at) where ended_at is not null;

create table chains (
  chain_id uuid primary key,
  task_id uuid not null references tasks on delete cascade,
  index integer not null,
  configuration text not null,
  snapshot_id text not null,
  status text not null check (status in ('Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled')),
  extras json not null,
  input json not null,
  assets json not null,
  unique (task_id, index)
);
comment on column chains.input is 'An uploaded file {"blob", facts…}, {"url"} or {"from": configuration} inside a group.';
comment on column chains.assets is 'Asset versions pinned when the task was accepted, by name.';
create index chains_snapshot on chains (snapshot_id);

create table entries (
  chain_id uuid not null references chains on delete cascade,
  index integer not null,
  configuration text not null,
  adapter_name text not null,
  input_idx integer,
  status text not null check (status in ('Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled', 'Skipped')),
  progress real not null default 0,
  attempts integer not null default 0,
  deaths integer not null default 0,
  started_at timestamptz,
  ended_at timestamptz,
  retry_at timestamptz,
  result json,
  error json,
  warnings json not null default '[]',
  output json,
  explanation json,
  checkpoint json,
  change bigint not null default nextval('changes'),
  primary key (chain_id, index)
);

create table lookups (
  task_id uuid not null references tasks on delete cascade,
  chain_id uuid not null,
  entry integer not null,
  kind text not null,
  key text not null,
  activity json not null,
  primary key (chain_id, entry, kind, key)
);
comment on table lookups is 'Lookups of finished entries that found nobody yet: the activity is made when a profile brings that value.';
create index lookups_value on lookups (kind, key);
create index lookups_task on lookups (task_id);

create table activities (
  activity_id uuid primary key,
  task_id uuid not null,
  chain_id uuid not null,
  entry integer not null,
  owner_id uuid not null references profiles on delete cascade,
  experience_id text not null,
  activity_type text not null,
  flow_id uuid not null,
  payload json not null,
  created_at timestamptz not null,
  unique (chain_id, entry, owner_id)
);
create index activities_newest on activities (created_at desc, activity_id desc);
create index activities_owner on activities (owner_id, created_at desc, activity_id desc);
create index activities_experience on activities (experience_id, created_at desc, activity_id desc);
create index activities_type on activities (activity_type, created_at desc, activity_id desc);
create index activities_task on activities (task_id, created_at desc, activity_id desc);

create table callbacks (
  callback_id uuid primary key,
  task_id uuid not null,
  run integer not null,
  experience_id text not null,
  url text not null,
  receiver text not null,
  body text not null,
  status text not null check (status in ('Waiting', 'Delivered', 'GivenUp')),
  attempt_count integer not null default 0,
  next_attempt_at timestamptz,
  job_id uuid,
  worker_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (task_id, run)
);
create index callbacks_newest on callbacks (created_at desc, callback_id desc);
create index callbacks_task on callbacks (task_id, created_at desc, callback_id desc);
create index callbacks_status on callbacks (status, created_at desc, callback_id desc);
create index callbacks_experience on callbacks (experience_id, created_at desc, callback_id desc);
create index callbacks_due on callbacks (next_attempt_at) where status = 'Waiting';
create index callbacks_worker on callbacks (worker_id) where worker_id is not null;
comment on column callbacks.job_id is 'The one job that may attempt it; whatever another writes does not count.';

create table callback_attempts (
  callback_id uuid not null references callbacks on delete cascade,
  at timestamptz not null,
  status_code integer,
  error text,
  duration_ms integer not null
);
create index callback_attempts_callback on callback_attempts (callback_id, at);

create table idempotency_keys (
  key text not null,
  token text not null,
  fingerprint text not null,
  task_id uuid,
  created_at timestamptz not null,
  primary key (token, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

create table workers (
  worker_id uuid primary key,
  lock bigint not null,
  host text not null,
  doing json not null,
  started_at timestamptz not null,
  seen_at timestamptz not null
);

create table turns (
  lane text not null,
  share text not null,
  tag bigint not null,
  primary key (lane, share)
);
comment on table turns is 'Fair queueing: the last turn handed to each share (an experience or a receiver) of a lane; share "" is the turn now being served.';

create table uploads (
  blob text primary key,
  created_at timestamptz not null
);
comment on table uploads is 'Blobs written but not yet owned by a row; the sweeper removes the ones whose request died.';

create table minutes (
  minute timestamptz not null,
  experience_id text not null,
  succeeded integer not null,
  failed integer not null,
  latency jsonb not null,
  primary key (minute, experience_id)
);
comment on table minutes is 'Finished tasks counted by minute, so that plots stay quick. latency: from request to callback, how many per step of a scale on which each step is a fifth longer.';

create table task_guests (
  profile_id uuid not null references profiles on delete cascade,
  task_id uuid not null references tasks on delete cascade,
  primary key (profile_id, task_id)
);
comment on table task_guests is 'Whom a task was for: what a person''s erasure must find.';
create index task_guests_task on task_guests (task_id);
