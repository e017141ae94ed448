create table migrations (name text primary key, applied_at timestamptz not null default now());
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


    BEGIN;
    SET LOCAL lock_timeout = 30000;
    SET LOCAL idle_in_transaction_session_timeout = 30000;
    SELECT pg_advisory_xact_lock(('x' || encode(sha224((current_database() || '.pgboss.pgboss')::bytea), 'hex'))::bit(64)::bigint);
CREATE SCHEMA IF NOT EXISTS pgboss;

    CREATE TYPE pgboss.job_state AS ENUM (
      'created',
      'retry',
      'active',
      'completed',
      'cancelled',
      'failed'
    )
  ;

    CREATE FUNCTION pgboss.job_now()
    RETURNS timestamp with time zone AS
    $$
      SELECT pg_catalog.now();
    $$
    LANGUAGE sql STABLE;
  ;

    CREATE TABLE pgboss.version (
      version int primary key,
      cron_on timestamp with time zone,
      bam_on timestamp with time zone,
      flow_on timestamp with time zone,
      reindex_on timestamp with time zone,
      monitor_backoff_on timestamp with time zone
    )
  ;

    CREATE TABLE pgboss.queue (
      name text NOT NULL,
      policy text NOT NULL,
      retry_limit int NOT NULL,
      retry_delay int NOT NULL,
      retry_backoff bool NOT NULL,
      retry_delay_max int,
      expire_seconds int NOT NULL,
      retention_seconds int NOT NULL,
      deletion_seconds int NOT NULL,
      dead_letter text REFERENCES pgboss.queue (name) CHECK (dead_letter IS DISTINCT FROM name),
      partition bool NOT NULL,
      table_name text NOT NULL,
      deferred_count int NOT NULL default 0,
      queued_count int NOT NULL default 0,
      ready_count int NOT NULL default 0,
      warning_queued int NOT NULL default 0,
      active_count int NOT NULL default 0,
      failed_count int NOT NULL default 0,
      total_count int NOT NULL default 0,
      created_delta int NOT NULL default 0,
      completed_delta int NOT NULL default 0,
      failed_delta int NOT NULL default 0,
      delta_on timestamp with time zone,
      delta_seconds int,
      ready_history int[] NOT NULL default '{}',
      heartbeat_seconds int,
      notify bool NOT NULL DEFAULT false,
      singletons_active text[],
      monitor_claim_on timestamp with time zone,
      monitor_on timestamp with time zone,
      maintain_on timestamp with time zone,
      created_on timestamp with time zone not null default now(),
      updated_on timestamp with time zone not null default now(),
      PRIMARY KEY (name)
    )
  ;

    CREATE TABLE pgboss.schedule (
      name text REFERENCES pgboss.queue ON DELETE CASCADE,
      key text not null DEFAULT '',
      kind text not null DEFAULT 'cron' CHECK (kind IN ('cron', 'rrule')),
      cron text not null,
      timezone text DEFAULT 'UTC',
      data jsonb,
      options jsonb,
      created_on timestamp with time zone not null default now(),
      updated_on timestamp with time zone not null default now(),
      last_job_id uuid,
      PRIMARY KEY (name, key)
    )
  ;

    CREATE TABLE pgboss.subscription (
      event text not null,
      name text not null REFERENCES pgboss.queue ON DELETE CASCADE,
      created_on timestamp with time zone not null default now(),
      updated_on timestamp with time zone not null default now(),
      PRIMARY KEY(event, name)
    )
  ;

    CREATE TABLE pgboss.bam (
      id uuid PRIMARY KEY default gen_random_uuid(),
      name text NOT NULL,
      version int NOT NULL,
      status text NOT NULL DEFAULT 'pending',
      queue text,
      table_name text NOT NULL,
      command text NOT NULL,
      error text,
      created_on timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
      started_on timestamp with time zone,
      completed_on timestamp with time zone
    )
  ;

    CREATE FUNCTION pgboss.job_table_format(command text, table_name text)
    RETURNS text AS
    $$
      SELECT format(
        regexp_replace(
          regexp_replace(command, '\.job\y', '.%1$I', 'g'),
          '\yjob_i(\d+)', '%1$s_i\1', 'g'
        ),
        table_name
      );
    $$
    LANGUAGE sql IMMUTABLE;
  ;

    CREATE FUNCTION pgboss.job_table_run(command text, tbl_name text DEFAULT NULL, queue_name text DEFAULT NULL)
    RETURNS VOID AS
    $$
    DECLARE
      tbl RECORD;
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM pgboss.queue WHERE name = queue_name;
      END IF;

      IF tbl_name IS NOT NULL THEN
        EXECUTE pgboss.job_table_format(command, tbl_name);
        RETURN;
      END IF;

      EXECUTE pgboss.job_table_format(command, 'job_common');

      FOR tbl IN SELECT table_name FROM pgboss.queue WHERE partition = true
      LOOP
        EXECUTE pgboss.job_table_format(command, tbl.table_name);
      END LOOP;
    END;
    $$
    LANGUAGE plpgsql;
  ;

    CREATE FUNCTION pgboss.job_table_run_async(command_name text, version int, command text, tbl_name text DEFAULT NULL, queue_name text DEFAULT NULL)
    RETURNS VOID AS
    $$
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM pgboss.queue WHERE name = queue_name;
      END IF;

      IF tbl_name IS NOT NULL THEN
        INSERT INTO pgboss.bam (name, version, status, queue, table_name, command)
        VALUES (
          command_name,
          version,
          'pending',
          queue_name,
          tbl_name,
          pgboss.job_table_format(command, tbl_name)
        );
        RETURN;
      END IF;

      INSERT INTO pgboss.bam (name, version, status, queue, table_name, command)
      SELECT
        command_name,
        version,
        'pending',
        NULL,
        'job_common',
        pgboss.job_table_format(command, 'job_common')
      UNION ALL
      SELECT
        command_name,
        version,
        'pending',
        queue.name,
        queue.table_name,
        pgboss.job_table_format(command, queue.table_name)
      FROM pgboss.queue
      WHERE partition = true;
    END;
    $$
    LANGUAGE plpgsql;
  ;

    CREATE TABLE pgboss.job (
      id uuid not null default gen_random_uuid(),
      name text not null,
      priority integer not null default(0),
      data jsonb,
      state pgboss.job_state not null default 'created',
      retry_limit integer not null default 2,
      retry_count integer not null default 0,
      retry_delay integer not null default 0,
      retry_backoff boolean not null default false,
      retry_delay_max integer,
      expire_seconds int not null default 900,
      deletion_seconds int not null default 604800,
      singleton_key text,
      singleton_on timestamp without time zone,
      group_id text,
      group_tier text,
      start_after timestamp with time zone not null default now(),
      created_on timestamp with time zone not null default now(),
      started_on timestamp with time zone,
      completed_on timestamp with time zone,
      keep_until timestamp with time zone NOT NULL default now() + interval '1209600',
      output jsonb,
      dead_letter text,
      policy text,
      heartbeat_on timestamp with time zone,
      heartbeat_seconds int,
      blocked boolean not null default false,
      blocking boolean not null default false,
      pending_dependencies int not null default 0,
      source_name text,
      source_id uuid,
      source_created_on timestamp with time zone,
      source_retry_count int,
      source_output jsonb,
      source_root_id uuid
    ) PARTITION BY LIST (name)
  ;
ALTER TABLE pgboss.job ADD PRIMARY KEY (name, id);

    CREATE TABLE pgboss.job_common (LIKE pgboss.job INCLUDING GENERATED INCLUDING DEFAULTS);

    SELECT pgboss.job_table_run($cmd$ALTER TABLE pgboss.job ADD PRIMARY KEY (name, id)$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i1 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i2 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i3 ON pgboss.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i6 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i8 ON pgboss.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i10 ON pgboss.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i4 ON pgboss.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i11 ON pgboss.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i7 ON pgboss.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i9 ON pgboss.job (name, id) WHERE blocking AND state = 'completed'$cmd$, 'job_common');
    SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i12 ON pgboss.job (source_root_id) WHERE source_root_id IS NOT NULL$cmd$, 'job_common');

    ALTER TABLE pgboss.job ATTACH PARTITION pgboss.job_common DEFAULT;
  ;

    CREATE TABLE pgboss.warning (
      id uuid PRIMARY KEY default gen_random_uuid(),
      type text NOT NULL,
      message text NOT NULL,
      data jsonb,
      created_on timestamp with time zone NOT NULL DEFAULT now()
    )
  ;
CREATE INDEX warning_i1 ON pgboss.warning (created_on DESC);

    CREATE TABLE pgboss.queue_stats (
      id uuid NOT NULL DEFAULT gen_random_uuid(),
      name text NOT NULL,
      deferred_count int NOT NULL DEFAULT 0,
      queued_count   int NOT NULL DEFAULT 0,
      ready_count    int NOT NULL DEFAULT 0,
      active_count   int NOT NULL DEFAULT 0,
      failed_count   int NOT NULL DEFAULT 0,
      total_count    int NOT NULL DEFAULT 0,
      created_delta   int,
      completed_delta int,
      failed_delta    int,
      delta_seconds   int,
      delta_on        timestamptz,
      captured_on timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (id, captured_on)
    ) PARTITION BY RANGE (captured_on)
  ;
CREATE INDEX queue_stats_i1 ON pgboss.queue_stats (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);

    DO $$
    DECLARE
      d date;
      i int;
      part_name text;
    BEGIN
      FOR i IN 0..1 LOOP
        d := (pgboss.job_now() AT TIME ZONE 'UTC')::date + i;
        part_name := 'queue_stats_' || to_char(d, 'YYYYMMDD');
        IF NOT EXISTS (
          SELECT 1 FROM pg_class c
          JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'pgboss' AND c.relname = part_name
        ) THEN
          EXECUTE format(
            'CREATE TABLE pgboss.%I PARTITION OF pgboss.queue_stats FOR VALUES FROM (%L) TO (%L)',
            part_name,
            to_char(d, 'YYYY-MM-DD') || ' 00:00:00+00',
            to_char(d + 1, 'YYYY-MM-DD') || ' 00:00:00+00'
          );
        END IF;
      END LOOP;
    END;
    $$
  ;

    CREATE TABLE pgboss.job_dependency (
      child_name text NOT NULL,
      child_id uuid NOT NULL,
      parent_name text NOT NULL,
      parent_id uuid NOT NULL,
      PRIMARY KEY (child_name, child_id, parent_name, parent_id)
    )
  ;
CREATE INDEX IF NOT EXISTS job_dep_parent_idx ON pgboss.job_dependency (parent_name, parent_id);

    CREATE FUNCTION pgboss.create_queue(queue_name text, options jsonb)
    RETURNS VOID AS
    $$
    DECLARE
      tablename varchar := CASE WHEN options->>'partition' = 'true'
                            THEN 'j' || encode(sha224(queue_name::bytea), 'hex')
                            ELSE 'job_common'
                            END;
      queue_created_on timestamptz;
    BEGIN

      WITH q as (
        INSERT INTO pgboss.queue (
          name,
          policy,
          retry_limit,
          retry_delay,
          retry_backoff,
          retry_delay_max,
          expire_seconds,
          retention_seconds,
          deletion_seconds,
          warning_queued,
          dead_letter,
          partition,
          table_name,
          heartbeat_seconds,
          notify,
          created_on,
          updated_on
        )
        VALUES (
          queue_name,
          options->>'policy',
          COALESCE((options->>'retryLimit')::int, 2),
          COALESCE((options->>'retryDelay')::int, 0),
          COALESCE((options->>'retryBackoff')::bool, false),
          (options->>'retryDelayMax')::int,
          COALESCE((options->>'expireInSeconds')::int, 900),
          COALESCE((options->>'retentionSeconds')::int, 1209600),
          COALESCE((options->>'deleteAfterSeconds')::int, 604800),
          COALESCE((options->>'warningQueueSize')::int, 0),
          options->>'deadLetter',
          COALESCE((options->>'partition')::bool, false),
          tablename,
          (options->>'heartbeatSeconds')::int,
          COALESCE((options->>'notify')::bool, false),
          pgboss.job_now(),
          pgboss.job_now()
        )
        ON CONFLICT DO NOTHING
        RETURNING created_on
      )
      SELECT created_on into queue_created_on from q;

      IF queue_created_on IS NULL OR options->>'partition' IS DISTINCT FROM 'true' THEN
        RETURN;
      END IF;

      EXECUTE format('CREATE TABLE pgboss.%I (LIKE pgboss.job INCLUDING DEFAULTS)', tablename);

      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD PRIMARY KEY (name, id)$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);

      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i11 ON pgboss.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i4 ON pgboss.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i7 ON pgboss.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i9 ON pgboss.job (name, id) WHERE blocking AND state = 'completed'$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i12 ON pgboss.job (source_root_id) WHERE source_root_id IS NOT NULL$cmd$, tablename);

      IF options->>'policy' = 'short' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i1 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, tablename);
      ELSIF options->>'policy' = 'singleton' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i2 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, tablename);
      ELSIF options->>'policy' = 'stately' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i3 ON pgboss.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, tablename);
      ELSIF options->>'policy' = 'exclusive' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i6 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, tablename);
      ELSIF options->>'policy' = 'key_strict_fifo' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i8 ON pgboss.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i10 ON pgboss.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, tablename);
      END IF;

      EXECUTE format('ALTER TABLE pgboss.%I ADD CONSTRAINT cjc CHECK (name=%L)', tablename, queue_name);
      EXECUTE format('ALTER TABLE pgboss.job ATTACH PARTITION pgboss.%I FOR VALUES IN (%L)', tablename, queue_name);
    END;
    $$
    LANGUAGE plpgsql;
  ;

    CREATE FUNCTION pgboss.delete_queue(queue_name text)
    RETURNS VOID AS
    $$
    DECLARE
      v_table varchar;
      v_partition bool;
    BEGIN
      
      SELECT table_name, partition
      FROM pgboss.queue
      WHERE name = queue_name
      INTO v_table, v_partition;

      IF v_partition THEN
        EXECUTE format('DROP TABLE IF EXISTS pgboss.%I', v_table);
      ELSE
        EXECUTE format('DELETE FROM pgboss.%I WHERE name = %L', v_table, queue_name);
      END IF;
    
      DELETE FROM pgboss.queue WHERE name = queue_name;
    END;
    $$
    LANGUAGE plpgsql;
  ;
INSERT INTO pgboss.version(version) VALUES ('43');
    COMMIT;
  
delete from public.migrations;
insert into public.migrations (name, applied_at) values
('0001_init.sql', '2026-11-15 20:30:38.716938+00');
delete from public.deployment;
insert into public.deployment (key, value) values
('minutes counted up to', E'\\x323032362d31312d31355432303a33303a30302e3030305a'),
('secret key proof', E'\\x340716bf71895940baf5ea55e885a5aa8d0796d77594ec1240999b1a03cc147b7070934ec98d141b'),
('sign-in code 70bbc384b3bca1bf583168b12d18fff29df8b0dd6efe74fe212eb36874ab7623', E'\\x31373934373735353432333434');
delete from public.experiences;
insert into public.experiences (experience_id, name, max_running, retention_days, webhook_secret, old_webhook_secret, old_webhook_secret_until, created_at, updated_at) values
('gala', NULL, NULL, NULL, E'\\x340716bf82111c537326accf2f2d39dc859650b334310af8e621d1609c55c6785230e7ccba428f649b8c4c55e1903c2d795e77334d45d2ba592b4a78e079f9a8ddf74d4d1dade4e93240a6891b74fef4fe95', E'\\x340716bf24d8f7bd10ccee148d466f05b723a5a597b0aad8b84ea9b1ae35193a5227485fa106c6d66b5211e1569c8cb7f39db94cc5517808292d6fb53faac8327486175ffce93444cd0b914fc59d56730a42', '2026-11-16 20:30:49.594+00', '2026-11-15 20:30:47.305+00', '2026-11-15 20:30:49.594+00'),
('park', 'The Park', '9', '30', E'\\x340716bff17cbbd11c067d730dbb548a73935ac4f67405b6fc88d181aa7bb67ed4fafe47a119243a400c73292c52b471b121c09957ac5e0d1e76acc7f1a89f20e47e3e66525710674d40becfd6eb90e76cf3', NULL, NULL, '2026-11-15 20:30:46.194+00', '2026-11-15 20:30:49.229+00');
delete from public.tokens;
insert into public.tokens (token_id, name, hash, scopes, experiences, expires_at, last_used_at, created_at) values
('01a1e0e8-0ede-7a83-aaae-9d4b99a55c21', 'read', E'\\x259560f65b7f69cd338314e36ed91a51944b9d851e345f687b34cc3fbf9103a5', '{read}', NULL, NULL, '2026-11-15 20:31:09.288+00', '2026-11-15 20:31:06.974+00'),
('01a1e0e8-0f2d-728b-9cf7-e31f6d002755', 'tasks', E'\\xfc6cd203dbee456f6d2e753ccb7b42da565c8e7be16730999849ca0d83fb8560', '{tasks}', '{park}', NULL, NULL, '2026-11-15 20:31:07.053+00'),
('01a1e0e8-0f65-71d6-b457-a70a0c092333', 'write', E'\\x84fa624b45a808fdcf8e7a0e9448683e4feacce4b02aa21f0ef73e1ca524c49d', '{write}', NULL, NULL, NULL, '2026-11-15 20:31:07.109+00'),
('01a1e0e8-0f78-7a09-bc2b-a8250ab70bf2', 'admin', E'\\xce9c308ffbd6b8d27c604e4c9c69df1a963d2511346eef4e076a4ba491dd4d5a', '{admin}', NULL, NULL, '2026-11-15 20:31:09.278+00', '2026-11-15 20:31:07.128+00'),
('01a1e0e8-0f95-7f6c-8929-9bbc08e379ba', 'expired', E'\\x779e4fd3a72bce20bd06833c4aeb8ed1231c2dc0616fb84abdc522a30bd72c93', '{read}', NULL, '2026-11-15 20:32:07.141+00', NULL, '2026-11-15 20:31:07.157+00');
delete from public.sessions;
insert into public.sessions (hash, token_id, expires_at, created_at) values
(E'\\x2f1bddf0cbaed8b22bb4b2559eb3e343a78fb1e0e70f4616f2a67535be4724ae', '01a1e0e8-0f78-7a09-bc2b-a8250ab70bf2', '2026-11-29 20:31:09.279+00', '2026-11-15 20:31:09.279+00');
delete from public.configurations;
insert into public.configurations (configuration_name, experience_id, kind, adapter_name, defaults, auth, activity_config, call_chain, webhook_url, created_at, updated_at) values
('azure', 'park', 'destination', 'azure_blob_upload', '{"container_name":"souvenirs"}', E'\\x340716bf12e83f2735d5ee8ff24f786da35b0a21dde6f7b5775e473a3e1e77eaf2eb1178423e7cec801179338bbea3a52caffb1c2ac3849c6c661e52d2013971872d771fc2167a37e8189c0cd86c474350d3664aa23faa63a408a1d58c668b5df2988310', NULL, NULL, NULL, '2026-11-15 20:30:48.764+00', '2026-11-15 20:30:48.764+00'),
('film', 'park', 'transformer', 'video_flip', '{"method":"FLIP_LEFT_RIGHT"}', NULL, NULL, NULL, 'http://127.0.0.1:{{receiver_port}}/hook/ok', '2026-11-15 20:30:48.04+00', '2026-11-15 20:30:48.04+00'),
('flip and busy', 'park', 'chain', NULL, NULL, NULL, NULL, '[["flip",null],["post busy",0]]', NULL, '2026-11-15 20:30:48.494+00', '2026-11-15 20:30:48.494+00'),
('flip down', 'park', 'transformer', 'photo_flip', '{"method":"ROTATE_180"}', NULL, NULL, NULL, 'http://127.0.0.1:{{receiver_port}}/hook/down', '2026-11-15 20:30:47.728+00', '2026-11-15 20:30:47.728+00'),
('flip gone', 'park', 'transformer', 'photo_flip', '{"method":"ROTATE_180"}', NULL, NULL, NULL, 'http://127.0.0.1:{{receiver_port}}/hook/gone', '2026-11-15 20:30:47.596+00', '2026-11-15 20:30:47.596+00'),
('flip', 'park', 'transformer', 'photo_flip', '{"method":"ROTATE_180"}', NULL, NULL, NULL, 'http://127.0.0.1:{{receiver_port}}/hook/ok', '2026-11-15 20:30:47.456+00', '2026-11-15 20:30:47.456+00'),
('frame', 'park', 'transformer', 'photo_add_overlay', '{"overlay_file_name":"frame.png"}', NULL, NULL, NULL, NULL, '2026-11-15 20:30:47.956+00', '2026-11-15 20:30:47.956+00'),
('gala flip', 'gala', 'transformer', 'photo_flip', '{"method":"ROTATE_180"}', NULL, NULL, NULL, 'http://127.0.0.1:{{receiver_port}}/hook/down', '2026-11-15 20:30:47.86+00', '2026-11-15 20:30:47.86+00'),
('mail', 'park', 'destination', 'email_send', '{"to":"guest@example.com","subject":"Yours","text":"Here."}', E'\\x340716bf46248529699e5809c38918259c9068cc8e9f41e0c66a2265c4f642cbb0c0ab6e877ba1c4a1bf3e780dc6f8cfd6c6b7343370a194f58576eb41b40b2b1e7c99c5ae2e6e71bc7cf161c7a9c748c06e8953dedf71c46e0422b79b4eedf9f05cc018aa0f29a719901c5c50e8b1c29f233116a4f63869162329251de86190e917257b', NULL, NULL, NULL, '2026-11-15 20:30:48.586+00', '2026-11-15 20:30:48.586+00'),
('photo to wall', 'park', 'chain', NULL, NULL, NULL, NULL, '[["flip",null],["frame",0],["post wall",1]]', 'http://127.0.0.1:{{receiver_port}}/hook/ok', '2026-11-15 20:30:48.553+00', '2026-11-15 20:30:48.553+00'),
('post basic', 'park', 'destination', 'http_post', '{"url":"http://127.0.0.1:{{receiver_port}}/in/basic","idempotent":true,"delivery_backoff":600}', E'\\x340716bfd0d56dcbe595283caafd0963e9f7124a11b7262d678ad237b4139e733dcacb81443004f6c477d2d257a2bb889b38755d15f6e8bd9ae8da075ff89a2b3c86c52020a1abc14f2f9e913c5d093d2af176732cfe262155', NULL, NULL, NULL, '2026-11-15 20:30:48.274+00', '2026-11-15 20:30:48.274+00'),
('post busy', 'park', 'destination', 'http_post', '{"url":"http://127.0.0.1:{{receiver_port}}/in/busy","idempotent":true,"delivery_backoff":600}', E'\\x340716bfe715a5732c46a586db2670a65c4aeea1ba9712e6021a96acd9c5ccaa0ebe0bcddd416086b9d1aaae3d1dec990f3f9888cecf1d7af133fc', NULL, NULL, NULL, '2026-11-15 20:30:48.439+00', '2026-11-15 20:30:48.439+00'),
('post hang', 'park', 'destination', 'http_post', '{"url":"http://127.0.0.1:{{receiver_port}}/in/hang","idempotent":true,"delivery_backoff":600}', E'\\x340716bfc7d2b37961102949a30b3bda8c1d516b35f74340efceec3fbd44e6463e7165f63d73d3e3587544528c073be5d9e345256d6ed7ff057701', NULL, NULL, NULL, '2026-11-15 20:30:48.482+00', '2026-11-15 20:30:48.482+00'),
('post wall', 'park', 'destination', 'http_post', '{"url":"http://127.0.0.1:{{receiver_port}}/in/wall","idempotent":true,"delivery_backoff":600}', E'\\x340716bf6229d07ae14b014b8d71a403e7891f4e5860086db434fdecc3f930665d6342bd803e5c4c85fdf37b324a61a3a8ac17aa5b3d2f04b52d42', '{"experience_id":"park","activity_type":"content-generation","payload":{"object_id":"ride-1"}}', NULL, NULL, '2026-11-15 20:30:48.116+00', '2026-11-15 20:30:48.116+00'),
('sftp', 'park', 'destination', 'sftp_upload', '{"host":"127.0.0.1","path":"in"}', E'\\x340716bfc189344ccf3b747ed32e950bd2ad1a6fe69b36ecdab4e886b94c7d53e201e8159f618019f8c7d2e1ec54626b318bb19b0128df5b8a1d7903d07dad4e79bc1c285efebc13e7fa8db029aa', NULL, NULL, NULL, '2026-11-15 20:30:48.716+00', '2026-11-15 20:30:48.716+00'),
('store', 'park', 'destination', 's3_upload', '{"bucket_name":"souvenirs","bucket_url":"http://127.0.0.1:{{receiver_port}}/in/s3","delivery_backoff":600}', E'\\x340716bf223e649aacf92cfe17b8b1aab896bab0c854b40ba60f35c83bdcdfac7bec7cf02c069d673f1b8900038100c809180f0f99b25736e60a1cc9944525170d99cd3fe8c124a3903030a0898aaf99ecd1d07b1ec67be28586f15f2609c7b45d2bd7c0c08d6073e15e39c8a4d941be2b570f', NULL, NULL, NULL, '2026-11-15 20:30:48.571+00', '2026-11-15 20:30:48.571+00'),
('youtube', 'park', 'destination', 'youtube_upload', '{"title":"Souvenir"}', E'\\x340716bf59cd846a0330fabdadf332f149d0e18bffdafc767932291e9efdb222239e416622dba08a2ea14b57f6604315074f8109069231336868d381d159f7337c562988b6dab3da75336ace80dfedecd4ce83ed19146a887750a4b77a2f86cfe25d7aa9cf713e617531bf70344c6565e7cc12d502', NULL, NULL, NULL, '2026-11-15 20:30:48.805+00', '2026-11-15 20:30:48.805+00');
delete from public.chain_members;
insert into public.chain_members (chain, member) values
('flip and busy', 'flip'),
('flip and busy', 'post busy'),
('photo to wall', 'flip'),
('photo to wall', 'frame'),
('photo to wall', 'post wall');
delete from public.asset_versions;
insert into public.asset_versions (version_id, name, blob, mime, medium, ext, bytes, sha256, width, height, duration, frames, created_at, replaced_at) values
('01a1e0e7-bd9e-7cb4-b233-4b2eab155bb3', 'frame.png', '01a1e0e7-aff0-7052-a8a9-3f7d057c53d4', 'image/png', 'image', '.png', '104', '0db819df67a89a185923bb8445c78db7b484f97f3c3e82957e6c9ecfb686ab76', '16', '16', NULL, NULL, '2026-11-15 20:30:46.174+00', '2026-11-15 20:31:06.763+00'),
('01a1e0e7-c1f6-797d-a576-3e197e4c822c', 'logo.png', '01a1e0e7-c1ae-7fae-a173-799369a2c8c9', 'image/png', 'image', '.png', '104', '09448936da1c22bc07ed791bf7077f6f9487baf164d8933918405b2ba727c431', '16', '16', NULL, NULL, '2026-11-15 20:30:47.286+00', NULL),
('01a1e0e8-0d97-7d30-a86a-a66ae7f893ee', 'frame.png', '01a1e0e8-0b8b-7f49-be63-fbac873198ad', 'image/png', 'image', '.png', '104', 'beb349f2c6e0438ffd5fe01595c6cff2780c02c261c96ae7d65dc66d2cdc6648', '16', '16', NULL, NULL, '2026-11-15 20:31:06.647+00', NULL);
delete from public.assets;
insert into public.assets (name, experience_id, version_id, created_at, updated_at) values
('frame.png', 'park', '01a1e0e8-0d97-7d30-a86a-a66ae7f893ee', '2026-11-15 20:30:46.174+00', '2026-11-15 20:31:06.647+00'),
('logo.png', 'gala', '01a1e0e7-c1f6-797d-a576-3e197e4c822c', '2026-11-15 20:30:47.286+00', '2026-11-15 20:30:47.286+00');
delete from public.asset_uses;
insert into public.asset_uses (configuration_name, asset) values
('frame', 'frame.png');
delete from public.profiles;
insert into public.profiles (profile_id, experience_id, attributes, created_at, updated_at) values
('01a1e0e7-c81b-7215-9b14-6d42b0bc5648', 'park', '{"name":"Ada","phone":"+44 1"}', '2026-11-15 20:30:48.884+00', '2026-11-15 20:30:48.884+00'),
('01a1e0e7-c88b-7618-adf5-7f85237fb435', NULL, '{"name":"Of no experience"}', '2026-11-15 20:30:48.972+00', '2026-11-15 20:30:48.972+00'),
('01a1e0e7-c89d-7a31-8b3a-86ef9527c0c5', 'gala', '{}', '2026-11-15 20:30:49+00', '2026-11-15 20:30:49+00');
delete from public.profile_lookups;
insert into public.profile_lookups (kind, key, value, "position", profile_id) values
('email', 'ada@example.com', 'Ada@example.com', '0', '01a1e0e7-c81b-7215-9b14-6d42b0bc5648'),
('email', 'ada@other.example', 'ada@other.example', '1', '01a1e0e7-c81b-7215-9b14-6d42b0bc5648'),
('email', 'grace@example.com', 'grace@example.com', '0', '01a1e0e7-c89d-7a31-8b3a-86ef9527c0c5'),
('email', 'nobody@example.com', 'nobody@example.com', '0', '01a1e0e7-c88b-7618-adf5-7f85237fb435'),
('qr_code', 'q-ada', 'q-ada', '2', '01a1e0e7-c81b-7215-9b14-6d42b0bc5648'),
('rfid', 'r-ada', 'r-ada', '3', '01a1e0e7-c81b-7215-9b14-6d42b0bc5648'),
('rfid', 'r-everywhere', 'r-everywhere', '1', '01a1e0e7-c88b-7618-adf5-7f85237fb435');
delete from public.snapshots;
insert into public.snapshots (snapshot_id, body, used_at) values
('08ae3231000f87b072a14a0c81bc5acb0bd0dce4408b11be666d57a8571e02d8', '{"entries":[{"configuration":"flip","adapter_name":"photo_flip","input_idx":null,"defaults":{"method":"ROTATE_180"},"auth":null,"activity_config":null},{"configuration":"post busy","adapter_name":"http_post","input_idx":0,"defaults":{"url":"http://127.0.0.1:{{receiver_port}}/in/busy","idempotent":true,"delivery_backoff":600},"auth":"NAcWv+cVpXMsRqWG2yZwplxK7qG6lxLmAhqWrNnFzKoOvgvN3UFghrnRqq49HeyZDz+YiM7PHXrxM/w=","activity_config":null}]}', '2026-11-15 20:31:03.856+00'),
('0b3ebcb7eeaf8f296dc8cb1fe88801d4e2d32cd544f9abcafced499171a56fcf', '{"entries":[{"configuration":"frame","adapter_name":"photo_add_overlay","input_idx":null,"defaults":{"overlay_file_name":"frame.png"},"auth":null,"activity_config":null}]}', '2026-11-15 20:30:56.29+00'),
('182837e07567d7fa86ac05bfcfac0c793af21888b37356bd1d80123780e7288a', '{"entries":[{"configuration":"film","adapter_name":"video_flip","input_idx":null,"defaults":{"method":"FLIP_LEFT_RIGHT"},"auth":null,"activity_config":null}]}', '2026-11-15 20:31:05.305+00'),
('2195257de107b867c82d90bffc54e38f1ebd72f39e99e7f342ce7cc2f11edd8b', '{"entries":[{"configuration":"flip","adapter_name":"photo_flip","input_idx":null,"defaults":{"method":"ROTATE_180"},"auth":null,"activity_config":null}]}', '2026-11-15 20:31:03.361+00'),
('29e653cb55e474c379458fa83e63c8cfefb6106b521c9e03c3b0f8bc57f252ff', '{"entries":[{"configuration":"post wall","adapter_name":"http_post","input_idx":null,"defaults":{"url":"http://127.0.0.1:{{receiver_port}}/in/wall","idempotent":true,"delivery_backoff":600},"auth":"NAcWv2Ip0HrhSwFLjXGkA+eJH05YYAhttDT97MP5MGZdY0K9gD5cTIX983sySmGjqKwXqls9LwS1LUI=","activity_config":{"experience_id":"park","activity_type":"content-generation","payload":{"object_id":"ride-1"}}}]}', '2026-11-15 20:30:54.525+00'),
('3da6a0eb4af55b54b052f394388bd9b0e7ab25eb4dd6651764d3dcb29a1d1db8', '{"entries":[{"configuration":"post basic","adapter_name":"http_post","input_idx":null,"defaults":{"url":"http://127.0.0.1:{{receiver_port}}/in/basic","idempotent":true,"delivery_backoff":600},"auth":"NAcWv9DVbcvllSg8qv0JY+n3EkoRtyYtZ4rSN7QTnnM9ysuBRDAE9sR30tJXoruImzh1XRX26L2a6NoHX/iaKzyGxSAgoavBTy+ekTxdCT0q8XZzLP4mIVU=","activity_config":null}]}', '2026-11-15 20:30:56.29+00'),
('7c2fac1c3a260df6511e53c3dce4aa5f22239d0d4816ec029b1a6ce1185444a7', '{"entries":[{"configuration":"flip down","adapter_name":"photo_flip","input_idx":null,"defaults":{"method":"ROTATE_180"},"auth":null,"activity_config":null}]}', '2026-11-15 20:30:55.884+00'),
('8e441c2bb353e6ed85b207ce818204abeac50e1cbbb81c35a6a59ad6c5e90b08', '{"entries":[{"configuration":"flip gone","adapter_name":"photo_flip","input_idx":null,"defaults":{"method":"ROTATE_180"},"auth":null,"activity_config":null}]}', '2026-11-15 20:30:55.528+00'),
('916c0f10e5521c44e0cb02a3387941d2c09912967ed6596a70bc8a38cff22c39', '{"entries":[{"configuration":"gala flip","adapter_name":"photo_flip","input_idx":null,"defaults":{"method":"ROTATE_180"},"auth":null,"activity_config":null}]}', '2026-11-15 20:30:56.058+00'),
('95a9fcfe94203b9cad56ada19206322ec2afbf26a2cca695b318e242a9f2adb6', '{"entries":[{"configuration":"post hang","adapter_name":"http_post","input_idx":null,"defaults":{"url":"http://127.0.0.1:{{receiver_port}}/in/hang","idempotent":true,"delivery_backoff":600},"auth":"NAcWv8fSs3lhEClJows72owdUWs190NA787sP71E5kY+cWX2PXPT41h1RFKMBzvl2eNFJW1u1/8FdwE=","activity_config":null}]}', '2026-11-15 20:31:04.162+00'),
('bba24f5dd751907f0e285a728b33bf2720de2a51e8eb8c4aaa078a186bd63356', '{"entries":[{"configuration":"flip","adapter_name":"photo_flip","input_idx":null,"defaults":{"method":"ROTATE_180"},"auth":null,"activity_config":null},{"configuration":"frame","adapter_name":"photo_add_overlay","input_idx":0,"defaults":{"overlay_file_name":"frame.png"},"auth":null,"activity_config":null},{"configuration":"post wall","adapter_name":"http_post","input_idx":1,"defaults":{"url":"http://127.0.0.1:{{receiver_port}}/in/wall","idempotent":true,"delivery_backoff":600},"auth":"NAcWv2Ip0HrhSwFLjXGkA+eJH05YYAhttDT97MP5MGZdY0K9gD5cTIX983sySmGjqKwXqls9LwS1LUI=","activity_config":{"experience_id":"park","activity_type":"content-generation","payload":{"object_id":"ride-1"}}}]}', '2026-11-15 20:30:55.073+00'),
('f5b8b4c5447cf5267f68f36b1bfd4ae38f59e9b1dca0551167fb766ac9c1c085', '{"entries":[{"configuration":"store","adapter_name":"s3_upload","input_idx":null,"defaults":{"bucket_name":"souvenirs","bucket_url":"http://127.0.0.1:{{receiver_port}}/in/s3","delivery_backoff":600},"auth":"NAcWvyI+ZJqs+Sz+F7ixqriWurDIVLQLpg81yDvc36x77HzwLAadZz8biQADgQDICRgPD5myVzbmChzJlEUlFw2ZzT/owSSjkDAwoImKr5ns0dB7HsZ74oWG8V8mCce0XSvXwMCNYHPhXjnIpNlBvitXDw==","activity_config":null}]}', '2026-11-15 20:31:05.159+00');
delete from public.tasks;
insert into public.tasks (task_id, flow_id, is_group, configuration, experience_id, status, lane, run, lease, worker_id, job_id, webhook_url, warnings, cancel_requested, spent_seconds, change, created_at, started_at, ended_at, files_deleted_at) values
('01a1e0e7-dd34-7d48-a22f-07aebeceb74e', '01a1e0e7-dd34-76d5-ab1f-70b7d62a3c72', 'false', 'flip', 'park', 'Succeeded', 'picture', '1', '1', NULL, NULL, 'http://127.0.0.1:{{receiver_port}}/hook/ok', '[]', 'false', '8.297013663', '67', '2026-11-15 20:30:54.265+00', '2026-11-15 20:30:54.331961+00', '2026-11-15 20:31:02.688015+00', NULL),
('01a1e0e7-de3d-7fde-8bdd-d7c9797b8d75', '01a1e0e7-de3d-7be9-ada7-ecb77e6bbb60', 'false', 'post wall', 'park', 'Succeeded', 'picture', '1', '1', NULL, NULL, NULL, E'["No profile has the rfid \\"r-late\\" yet; its activity is made when one does."]', 'false', '0.8602998750000006', '19', '2026-11-15 20:30:54.548+00', '2026-11-15 20:30:54.59598+00', '2026-11-15 20:30:55.535662+00', NULL),
('01a1e0e7-e061-78d6-8929-6fef6ff02da5', '01a1e0e7-e061-7dbb-b980-da16778af407', 'false', 'photo to wall', 'park', 'Succeeded', 'picture', '1', '1', NULL, NULL, 'http://127.0.0.1:{{receiver_port}}/hook/ok', '[]', 'false', '6.766763548000001', '48', '2026-11-15 20:30:55.136+00', '2026-11-15 20:30:55.241322+00', '2026-11-15 20:31:02.076342+00', NULL),
('01a1e0e7-e228-7d05-97aa-79216113be5b', '01a1e0e7-e228-726c-b3e5-88a6d3b046ab', 'false', 'flip gone', 'park', 'Succeeded', 'picture', '1', '1', NULL, NULL, 'http://127.0.0.1:{{receiver_port}}/hook/gone', '[]', 'false', '7.084463814999999', '70', '2026-11-15 20:30:55.529+00', '2026-11-15 20:30:55.642868+00', '2026-11-15 20:31:02.794539+00', NULL),
('01a1e0e7-e38b-701b-94f4-013de6f25f73', '01a1e0e7-e38b-7ad2-b4a9-b7f3afd961eb', 'false', 'flip down', 'park', 'Succeeded', 'picture', '1', '1', NULL, NULL, 'http://127.0.0.1:{{receiver_port}}/hook/down', '[]', 'false', '7.085084465', '72', '2026-11-15 20:30:55.899+00', '2026-11-15 20:30:55.913832+00', '2026-11-15 20:31:03.01921+00', NULL),
('01a1e0e7-e426-76d8-84e3-8d72d587e83a', '01a1e0e7-e426-70c9-8524-1175fd1551e7', 'false', 'gala flip', 'gala', 'Succeeded', 'picture', '1', '1', NULL, NULL, 'http://127.0.0.1:{{receiver_port}}/hook/down', '[]', 'false', '6.412956119', '59', '2026-11-15 20:30:56.065+00', '2026-11-15 20:30:56.120936+00', '2026-11-15 20:31:02.563824+00', NULL),
('01a1e0e7-e520-7c84-835d-5767b9aa1dca', '01a1e0e7-e520-7e73-ac42-04480c60bbb8', 'true', '', 'park', 'Succeeded', 'picture', '1', '1', NULL, NULL, 'http://127.0.0.1:{{receiver_port}}/hook/ok', '[]', 'false', '6.184025858', '66', '2026-11-15 20:30:56.292+00', '2026-11-15 20:30:56.400242+00', '2026-11-15 20:31:02.654797+00', NULL),
('01a1e0e7-e7fe-75a9-b0b4-f34eb124eb94', '01a1e0e7-e7fe-7a5c-9805-2d3a7e91dc4b', 'false', 'flip', 'park', 'Failed', 'picture', '2', '3', NULL, NULL, 'http://127.0.0.1:{{receiver_port}}/hook/ok', '[]', 'false', '0.06231452100000024', '79', '2026-11-15 20:30:57.022+00', '2026-11-15 20:30:57.15311+00', '2026-11-15 20:31:03.498243+00', NULL),
('01a1e0e7-e908-7d18-8f57-443e4641a719', '01a1e0e7-e908-7680-a2ca-72b02c9a04c6', 'true', '', 'park', 'Failed', 'picture', '1', '1', NULL, NULL, 'http://127.0.0.1:{{receiver_port}}/hook/ok', '[]', 'false', '5.147701260000001', '57', '2026-11-15 20:30:57.288+00', '2026-11-15 20:30:57.37011+00', '2026-11-15 20:31:02.556699+00', NULL),
('01a1e0e8-02b0-72f6-9f33-d36183c0da92', '01a1e0e8-02b0-7fc6-934e-d7085132f056', 'false', 'flip and busy', 'park', 'Running', 'picture', '1', '2', NULL, '01a1e0e8-038a-71ce-b09e-89f8396e33c8', NULL, '[]', 'false', '0.1610249700000004', '88', '2026-11-15 20:31:03.858+00', '2026-11-15 20:31:03.908165+00', NULL, NULL),
('01a1e0e8-03e1-77d0-85aa-ac3928ddea8e', '01a1e0e8-03e1-7057-844e-259adc44bf48', 'false', 'post hang', 'park', 'Running', 'picture', '1', '1', '01a1e0e7-da61-7f70-8667-ad114f016ba7', '01a1e0e8-03db-7cae-b797-2c4046f27448', NULL, '[]', 'false', '0', '91', '2026-11-15 20:31:04.162+00', '2026-11-15 20:31:04.185912+00', NULL, NULL),
('01a1e0e8-068f-745a-856b-99dad0a8e1e4', '01a1e0e8-068f-7b03-81be-82d63f952a26', 'false', 'flip', 'park', 'Waiting', 'picture', '1', '0', NULL, '01a1e0e8-0670-7e19-9d5e-6297023ed181', 'http://127.0.0.1:{{receiver_port}}/hook/ok', '[]', 'false', '0', '94', '2026-11-15 20:31:04.847+00', NULL, NULL, NULL),
('01a1e0e8-06e7-7198-aa70-1e1c63388bfe', '01a1e0e8-06e7-7cfc-b136-23e2605bd25b', 'false', 'photo to wall', 'park', 'Waiting', 'picture', '1', '0', NULL, '01a1e0e8-06ca-71c8-8cd6-859b9512e5e9', 'http://127.0.0.1:{{receiver_port}}/hook/ok', '[]', 'false', '0', '98', '2026-11-15 20:31:04.935+00', NULL, NULL, NULL),
('01a1e0e8-071a-7f32-8036-f08ba0377cfb', '01a1e0e8-071a-7574-b747-e73e8c3be58c', 'false', 'flip', 'park', 'Waiting', 'picture', '1', '0', NULL, '01a1e0e8-0705-7c4c-b0f8-16bcfc49a2e9', 'http://127.0.0.1:{{receiver_port}}/hook/ok', '[]', 'false', '0', '100', '2026-11-15 20:31:04.987+00', NULL, NULL, NULL),
('01a1e0e8-07c6-76f2-9a9b-e3fe42b4405d', '01a1e0e8-07c6-77d2-98c9-f7d1aa649447', 'false', 'store', 'park', 'Waiting', 'picture', '1', '0', NULL, '01a1e0e8-07c6-7b53-8806-5600c72d68d4', NULL, '[]', 'false', '0', '102', '2026-11-15 20:31:05.159+00', NULL, NULL, NULL),
('01a1e0e8-083c-7330-adbd-2f49f58931c8', '01a1e0e8-083c-7adf-b7d9-85089dfdaf5e', 'false', 'post basic', 'park', 'Waiting', 'picture', '1', '0', NULL, '01a1e0e8-0838-7f45-aabb-e9de76194fd8', NULL, '[]', 'false', '0', '104', '2026-11-15 20:31:05.276+00', NULL, NULL, NULL),
('01a1e0e8-0859-7c0e-a71a-2d515dab4ccf', '01a1e0e8-0859-72ba-a3f5-f965ec362534', 'false', 'film', 'park', 'Waiting', 'video', '1', '0', NULL, '01a1e0e8-0858-702f-9876-1a19a2b21175', 'http://127.0.0.1:{{receiver_port}}/hook/ok', '[]', 'false', '0', '106', '2026-11-15 20:31:05.305+00', NULL, NULL, NULL),
('01a1e0e8-0891-748b-b01c-932b783be69c', '01a1e0e8-0891-7208-ac25-2d46b399d8bc', 'true', '', 'park', 'Waiting', 'picture', '1', '0', NULL, '01a1e0e8-0890-7f6f-92aa-28f71ed22469', 'http://127.0.0.1:{{receiver_port}}/hook/ok', '[]', 'false', '0', '109', '2026-11-15 20:31:05.361+00', NULL, NULL, NULL),
('01a1e0e8-08cf-7931-b146-39857306a896', '01a1e0e8-08cf-74a7-a1d8-e8af3a42eee9', 'false', 'flip', 'park', 'Cancelled', 'picture', '1', '1', NULL, NULL, 'http://127.0.0.1:{{receiver_port}}/hook/ok', '[]', 'false', '0', '114', '2026-11-15 20:31:05.423+00', NULL, '2026-11-15 20:31:05.753679+00', NULL);
delete from public.chains;
insert into public.chains (chain_id, task_id, index, configuration, snapshot_id, status, extras, input, assets) values
('01a1e0e7-dd35-7d55-a466-5a06e0d88cdb', '01a1e0e7-dd34-7d48-a22f-07aebeceb74e', '0', 'flip', '2195257de107b867c82d90bffc54e38f1ebd72f39e99e7f342ce7cc2f11edd8b', 'Succeeded', '{}', '{"file":{"mime":"image/png","ext":".png","medium":"image","blob":"01a1e0e7-dc15-7b16-b6f6-110629a26c1f","bytes":4984,"sha256":"8a9681c600c07c4944b6833857239e5815b85f56f0e8703e3ce0d366cca73d02","width":null,"height":null,"duration":null,"frames":null}}', '{}'),
('01a1e0e7-de3d-7d3e-8860-b948f9d31a2e', '01a1e0e7-de3d-7fde-8bdd-d7c9797b8d75', '0', 'post wall', '29e653cb55e474c379458fa83e63c8cfefb6106b521c9e03c3b0f8bc57f252ff', 'Succeeded', '{"rfid":"r-late"}', '{"file":{"mime":"image/png","ext":".png","medium":"image","blob":"01a1e0e7-ddb4-7d8d-8916-a19ee63e6488","bytes":4984,"sha256":"8a9681c600c07c4944b6833857239e5815b85f56f0e8703e3ce0d366cca73d02","width":null,"height":null,"duration":null,"frames":null}}', '{}'),
('01a1e0e7-e061-77ba-b909-625f615f0bc9', '01a1e0e7-e061-78d6-8929-6fef6ff02da5', '0', 'photo to wall', 'bba24f5dd751907f0e285a728b33bf2720de2a51e8eb8c4aaa078a186bd63356', 'Succeeded', '{"rfid":["r-ada","r-everywhere"]}', '{"file":{"mime":"image/png","ext":".png","medium":"image","blob":"01a1e0e7-ded8-7789-a939-e22373d0f4e5","bytes":4984,"sha256":"8a9681c600c07c4944b6833857239e5815b85f56f0e8703e3ce0d366cca73d02","width":null,"height":null,"duration":null,"frames":null}}', '{"frame.png":{"blob":"01a1e0e7-aff0-7052-a8a9-3f7d057c53d4","sha256":"0db819df67a89a185923bb8445c78db7b484f97f3c3e82957e6c9ecfb686ab76","mime":"image/png","medium":"image","ext":".png","bytes":104,"width":16,"height":16,"duration":null,"frames":null}}'),
('01a1e0e7-e228-710c-afaa-2516652254b1', '01a1e0e7-e228-7d05-97aa-79216113be5b', '0', 'flip gone', '8e441c2bb353e6ed85b207ce818204abeac50e1cbbb81c35a6a59ad6c5e90b08', 'Succeeded', '{}', '{"file":{"mime":"image/png","ext":".png","medium":"image","blob":"01a1e0e7-e176-776b-95a8-484238bca8a4","bytes":4984,"sha256":"8a9681c600c07c4944b6833857239e5815b85f56f0e8703e3ce0d366cca73d02","width":null,"height":null,"duration":null,"frames":null}}', '{}'),
('01a1e0e7-e38b-7bfd-a84e-c3bfdc650027', '01a1e0e7-e38b-701b-94f4-013de6f25f73', '0', 'flip down', '7c2fac1c3a260df6511e53c3dce4aa5f22239d0d4816ec029b1a6ce1185444a7', 'Succeeded', '{}', '{"file":{"mime":"image/png","ext":".png","medium":"image","blob":"01a1e0e7-e305-7148-b92d-6a036088806e","bytes":4984,"sha256":"8a9681c600c07c4944b6833857239e5815b85f56f0e8703e3ce0d366cca73d02","width":null,"height":null,"duration":null,"frames":null}}', '{}'),
('01a1e0e7-e426-74cf-82fb-889ffe4f4d2c', '01a1e0e7-e426-76d8-84e3-8d72d587e83a', '0', 'gala flip', '916c0f10e5521c44e0cb02a3387941d2c09912967ed6596a70bc8a38cff22c39', 'Succeeded', '{}', '{"file":{"mime":"image/png","ext":".png","medium":"image","blob":"01a1e0e7-e3ee-7fd4-9ab1-1960be4536fc","bytes":4984,"sha256":"8a9681c600c07c4944b6833857239e5815b85f56f0e8703e3ce0d366cca73d02","width":null,"height":null,"duration":null,"frames":null}}', '{}'),
('01a1e0e7-e520-706e-aca0-8694da9bc1e6', '01a1e0e7-e520-7c84-835d-5767b9aa1dca', '2', 'post basic', '3da6a0eb4af55b54b052f394388bd9b0e7ab25eb4dd6651764d3dcb29a1d1db8', 'Succeeded', '{}', '{"from":"frame"}', '{}'),
('01a1e0e7-e520-74c1-99cd-9134fb439b9a', '01a1e0e7-e520-7c84-835d-5767b9aa1dca', '0', 'flip', '2195257de107b867c82d90bffc54e38f1ebd72f39e99e7f342ce7cc2f11edd8b', 'Succeeded', '{}', '{"file":{"mime":"image/png","ext":".png","medium":"image","blob":"01a1e0e7-e4a9-7549-8e9e-4ad94ad7bfa5","bytes":4984,"sha256":"8a9681c600c07c4944b6833857239e5815b85f56f0e8703e3ce0d366cca73d02","width":null,"height":null,"duration":null,"frames":null}}', '{}'),
('01a1e0e7-e520-78f1-9b1a-c10a33960241', '01a1e0e7-e520-7c84-835d-5767b9aa1dca', '1', 'frame', '0b3ebcb7eeaf8f296dc8cb1fe88801d4e2d32cd544f9abcafced499171a56fcf', 'Succeeded', '{}', '{"from":"flip"}', '{"frame.png":{"blob":"01a1e0e7-aff0-7052-a8a9-3f7d057c53d4","sha256":"0db819df67a89a185923bb8445c78db7b484f97f3c3e82957e6c9ecfb686ab76","mime":"image/png","medium":"image","ext":".png","bytes":104,"width":16,"height":16,"duration":null,"frames":null}}'),
('01a1e0e7-e7fe-7117-9feb-c69f046e294c', '01a1e0e7-e7fe-75a9-b0b4-f34eb124eb94', '0', 'flip', '2195257de107b867c82d90bffc54e38f1ebd72f39e99e7f342ce7cc2f11edd8b', 'Failed', '{}', '{"file":{"mime":"text/plain","ext":".txt","medium":"file","blob":"01a1e0e7-e75e-7e13-8dbb-f4c1c617a3fb","bytes":17,"sha256":"28f476668781ee9492b2e0310a18969c6442eb9feefc01ec035bd58e10702c9e","width":null,"height":null,"duration":null,"frames":null}}', '{}'),
('01a1e0e7-e908-779a-8132-81f40eee2902', '01a1e0e7-e908-7d18-8f57-443e4641a719', '1', 'frame', '0b3ebcb7eeaf8f296dc8cb1fe88801d4e2d32cd544f9abcafced499171a56fcf', 'Failed', '{}', '{"from":"flip"}', '{"frame.png":{"blob":"01a1e0e7-aff0-7052-a8a9-3f7d057c53d4","sha256":"0db819df67a89a185923bb8445c78db7b484f97f3c3e82957e6c9ecfb686ab76","mime":"image/png","medium":"image","ext":".png","bytes":104,"width":16,"height":16,"duration":null,"frames":null}}'),
('01a1e0e7-e908-7ae1-b6d4-9346852ebe61', '01a1e0e7-e908-7d18-8f57-443e4641a719', '0', 'flip', '2195257de107b867c82d90bffc54e38f1ebd72f39e99e7f342ce7cc2f11edd8b', 'Failed', '{}', '{"file":{"mime":"text/plain","ext":".txt","medium":"file","blob":"01a1e0e7-e865-76e6-b243-77badea0a6a6","bytes":17,"sha256":"28f476668781ee9492b2e0310a18969c6442eb9feefc01ec035bd58e10702c9e","width":null,"height":null,"duration":null,"frames":null}}', '{}'),
('01a1e0e7-e908-7ff0-b9d6-f79b42da033a', '01a1e0e7-e908-7d18-8f57-443e4641a719', '2', 'post basic', '3da6a0eb4af55b54b052f394388bd9b0e7ab25eb4dd6651764d3dcb29a1d1db8', 'Failed', '{}', '{"from":"frame"}', '{}'),
('01a1e0e8-02b0-7fa0-9284-22d9136e481b', '01a1e0e8-02b0-72f6-9f33-d36183c0da92', '0', 'flip and busy', '08ae3231000f87b072a14a0c81bc5acb0bd0dce4408b11be666d57a8571e02d8', 'Running', '{}', '{"file":{"mime":"image/png","ext":".png","medium":"image","blob":"01a1e0e8-0262-7cf0-9ec8-1b7c68023601","bytes":4984,"sha256":"8a9681c600c07c4944b6833857239e5815b85f56f0e8703e3ce0d366cca73d02","width":null,"height":null,"duration":null,"frames":null}}', '{}'),
('01a1e0e8-03e1-79b6-942d-c086d03d6a99', '01a1e0e8-03e1-77d0-85aa-ac3928ddea8e', '0', 'post hang', '95a9fcfe94203b9cad56ada19206322ec2afbf26a2cca695b318e242a9f2adb6', 'Running', '{}', '{"file":{"mime":"image/png","ext":".png","medium":"image","blob":"01a1e0e8-0399-759b-8d50-9df13e696cd0","bytes":4984,"sha256":"8a9681c600c07c4944b6833857239e5815b85f56f0e8703e3ce0d366cca73d02","width":null,"height":null,"duration":null,"frames":null}}', '{}'),
('01a1e0e8-068f-7dd4-97c7-b421d0e4c0cd', '01a1e0e8-068f-745a-856b-99dad0a8e1e4', '0', 'flip', '2195257de107b867c82d90bffc54e38f1ebd72f39e99e7f342ce7cc2f11edd8b', 'Waiting', '{}', '{"file":{"mime":"image/png","ext":".png","medium":"image","blob":"01a1e0e8-064f-78d9-98ec-cdc98762e79e","bytes":4984,"sha256":"8a9681c600c07c4944b6833857239e5815b85f56f0e8703e3ce0d366cca73d02","width":null,"height":null,"duration":null,"frames":null}}', '{}'),
('01a1e0e8-06e7-7719-b54b-18cd47d7a048', '01a1e0e8-06e7-7198-aa70-1e1c63388bfe', '0', 'photo to wall', 'bba24f5dd751907f0e285a728b33bf2720de2a51e8eb8c4aaa078a186bd63356', 'Waiting', '{"email":"ADA@example.com"}', '{"file":{"mime":"image/png","ext":".png","medium":"image","blob":"01a1e0e8-06a2-7bc1-8430-91caa6c092f0","bytes":4984,"sha256":"8a9681c600c07c4944b6833857239e5815b85f56f0e8703e3ce0d366cca73d02","width":null,"height":null,"duration":null,"frames":null}}', '{"frame.png":{"blob":"01a1e0e7-aff0-7052-a8a9-3f7d057c53d4","sha256":"0db819df67a89a185923bb8445c78db7b484f97f3c3e82957e6c9ecfb686ab76","mime":"image/png","medium":"image","ext":".png","bytes":104,"width":16,"height":16,"duration":null,"frames":null}}'),
('01a1e0e8-071a-7e7a-8a0f-2a0e4e8d17b4', '01a1e0e8-071a-7f32-8036-f08ba0377cfb', '0', 'flip', '2195257de107b867c82d90bffc54e38f1ebd72f39e99e7f342ce7cc2f11edd8b', 'Waiting', '{}', '{"url":"http://127.0.0.1:{{receiver_port}}/picture.png"}', '{}'),
('01a1e0e8-07c6-7a71-96c4-4808544fa2cf', '01a1e0e8-07c6-76f2-9a9b-e3fe42b4405d', '0', 'store', 'f5b8b4c5447cf5267f68f36b1bfd4ae38f59e9b1dca0551167fb766ac9c1c085', 'Waiting', '{}', '{"file":{"mime":"image/png","ext":".png","medium":"image","blob":"01a1e0e8-076e-7cd3-b11c-ad40816dbbe0","bytes":4984,"sha256":"8a9681c600c07c4944b6833857239e5815b85f56f0e8703e3ce0d366cca73d02","width":null,"height":null,"duration":null,"frames":null}}', '{}'),
('01a1e0e8-083c-78b9-910a-22dc9d4ce617', '01a1e0e8-083c-7330-adbd-2f49f58931c8', '0', 'post basic', '3da6a0eb4af55b54b052f394388bd9b0e7ab25eb4dd6651764d3dcb29a1d1db8', 'Waiting', '{}', '{"file":{"mime":"image/png","ext":".png","medium":"image","blob":"01a1e0e8-07dd-760f-857e-d298610017c7","bytes":4984,"sha256":"8a9681c600c07c4944b6833857239e5815b85f56f0e8703e3ce0d366cca73d02","width":null,"height":null,"duration":null,"frames":null}}', '{}'),
('01a1e0e8-0859-7a4a-86b4-b29be3488b33', '01a1e0e8-0859-7c0e-a71a-2d515dab4ccf', '0', 'film', '182837e07567d7fa86ac05bfcfac0c793af21888b37356bd1d80123780e7288a', 'Waiting', '{}', '{"file":{"mime":"video/mp4","ext":".mp4","medium":"video","blob":"01a1e0e8-084c-7e09-ad2b-bbda001fed6f","bytes":2919,"sha256":"a48e1601d4d910274672dc97fc47cc2c527c58c99ba9a50ecfbf279780f2f354","width":null,"height":null,"duration":null,"frames":null}}', '{}'),
('01a1e0e8-0891-73fd-8fbb-cb174c704297', '01a1e0e8-0891-748b-b01c-932b783be69c', '1', 'frame', '0b3ebcb7eeaf8f296dc8cb1fe88801d4e2d32cd544f9abcafced499171a56fcf', 'Waiting', '{}', '{"from":"flip"}', '{"frame.png":{"blob":"01a1e0e7-aff0-7052-a8a9-3f7d057c53d4","sha256":"0db819df67a89a185923bb8445c78db7b484f97f3c3e82957e6c9ecfb686ab76","mime":"image/png","medium":"image","ext":".png","bytes":104,"width":16,"height":16,"duration":null,"frames":null}}'),
('01a1e0e8-0891-796f-972b-a4f7e107163b', '01a1e0e8-0891-748b-b01c-932b783be69c', '0', 'flip', '2195257de107b867c82d90bffc54e38f1ebd72f39e99e7f342ce7cc2f11edd8b', 'Waiting', '{}', '{"file":{"mime":"image/png","ext":".png","medium":"image","blob":"01a1e0e8-0868-7060-9b4f-fbc374457c58","bytes":4984,"sha256":"8a9681c600c07c4944b6833857239e5815b85f56f0e8703e3ce0d366cca73d02","width":null,"height":null,"duration":null,"frames":null}}', '{}'),
('01a1e0e8-08cf-714f-aebd-6ac2034e94e2', '01a1e0e8-08cf-7931-b146-39857306a896', '0', 'flip', '2195257de107b867c82d90bffc54e38f1ebd72f39e99e7f342ce7cc2f11edd8b', 'Cancelled', '{}', '{"file":{"mime":"image/png","ext":".png","medium":"image","blob":"01a1e0e8-08a9-72c8-b62d-ade87e1cdfeb","bytes":4984,"sha256":"8a9681c600c07c4944b6833857239e5815b85f56f0e8703e3ce0d366cca73d02","width":null,"height":null,"duration":null,"frames":null}}', '{}');
delete from public.entries;
insert into public.entries (chain_id, index, configuration, adapter_name, input_idx, status, progress, attempts, deaths, started_at, ended_at, retry_at, result, error, warnings, output, explanation, checkpoint, change) values
('01a1e0e7-dd35-7d55-a466-5a06e0d88cdb', '0', 'flip', 'photo_flip', NULL, 'Succeeded', '1', '1', '0', '2026-11-15 20:30:54.452191+00', '2026-11-15 20:31:02.688015+00', NULL, '{"success":true}', NULL, '[]', '{"mime":"image/png","ext":".png","width":48,"height":32,"frames":null,"duration":null,"medium":"image","bytes":4729,"sha256":"6d765ca7de5516789759bc0d9dba0d9aabf7b0aee70824ed64d17d6a6445633f","blob":"01a1e0e7-fe0f-7e0b-9123-e3efe3f3fba0"}', '{"decisions":[],"command":null,"versions":{"sharp":"0.35.5","libvips":"8.18.7"},"timings":{"open":6196,"step":38.5,"write":138.4}}', NULL, '68'),
('01a1e0e7-de3d-7d3e-8860-b948f9d31a2e', '0', 'post wall', 'http_post', NULL, 'Succeeded', '1', '1', '0', '2026-11-15 20:30:54.70325+00', '2026-11-15 20:30:55.464006+00', NULL, '{"status_code":200,"response":{"id":7},"activity":[]}', NULL, '[]', '{"mime":"image/png","ext":".png","medium":"image","blob":"01a1e0e7-ddb4-7d8d-8916-a19ee63e6488","bytes":4984,"sha256":"8a9681c600c07c4944b6833857239e5815b85f56f0e8703e3ce0d366cca73d02","width":null,"height":null,"duration":null,"frames":null}', '{"decisions":[],"command":null,"versions":{},"timings":{"deliver":628}}', NULL, '20'),
('01a1e0e7-e061-77ba-b909-625f615f0bc9', '0', 'flip', 'photo_flip', NULL, 'Succeeded', '1', '1', '0', '2026-11-15 20:30:55.511147+00', '2026-11-15 20:31:02.028891+00', NULL, '{"success":true}', NULL, '[]', '{"mime":"image/png","ext":".png","medium":"image","bytes":0,"width":48,"height":32,"duration":null,"frames":null,"blob":null,"sha256":null}', '{"decisions":[],"command":null,"versions":{"sharp":"0.35.5","libvips":"8.18.7"},"timings":{"open":107,"step":0.2}}', NULL, '44'),
('01a1e0e7-e061-77ba-b909-625f615f0bc9', '1', 'frame', 'photo_add_overlay', '0', 'Succeeded', '1', '1', '0', '2026-11-15 20:30:55.511147+00', '2026-11-15 20:31:02.028891+00', NULL, '{"success":true}', NULL, '[]', '{"mime":"image/png","ext":".png","width":48,"height":32,"frames":null,"duration":null,"medium":"image","bytes":4597,"sha256":"e3ac6284e4bd276aca82d1be3944583183d3d4c0def91457bd6bbc50499a57b5","blob":"01a1e0e7-fb2a-7354-82d3-833c796d9872"}', '{"decisions":[],"command":null,"versions":{"sharp":"0.35.5","libvips":"8.18.7"},"timings":{"step":1042.3,"write":1740.8}}', NULL, '45'),
('01a1e0e7-e061-77ba-b909-625f615f0bc9', '2', 'post wall', 'http_post', '1', 'Succeeded', '1', '1', '0', '2026-11-15 20:31:02.030522+00', '2026-11-15 20:31:02.073693+00', NULL, '{"status_code":200,"response":{"id":7},"activity":["01a1e0e7-fbbf-796c-9e57-ee96988fe7e8","01a1e0e7-fbbf-720a-a225-8e5ce56ea6be"]}', NULL, '[]', '{"mime":"image/png","ext":".png","width":48,"height":32,"frames":null,"duration":null,"medium":"image","bytes":4597,"sha256":"e3ac6284e4bd276aca82d1be3944583183d3d4c0def91457bd6bbc50499a57b5","blob":"01a1e0e7-fb2a-7354-82d3-833c796d9872"}', '{"decisions":[],"command":null,"versions":{},"timings":{"deliver":26}}', NULL, '49'),
('01a1e0e7-e228-710c-afaa-2516652254b1', '0', 'flip gone', 'photo_flip', NULL, 'Succeeded', '1', '1', '0', '2026-11-15 20:30:55.759989+00', '2026-11-15 20:31:02.794539+00', NULL, '{"success":true}', NULL, '[]', '{"mime":"image/png","ext":".png","width":48,"height":32,"frames":null,"duration":null,"medium":"image","bytes":4729,"sha256":"6d765ca7de5516789759bc0d9dba0d9aabf7b0aee70824ed64d17d6a6445633f","blob":"01a1e0e7-fe6c-7bb6-a38e-9997ccdaf7db"}', '{"decisions":[],"command":null,"versions":{"sharp":"0.35.5","libvips":"8.18.7"},"timings":{"open":4541.7,"step":25.5,"write":126}}', NULL, '71'),
('01a1e0e7-e38b-7bfd-a84e-c3bfdc650027', '0', 'flip down', 'photo_flip', NULL, 'Succeeded', '1', '1', '0', '2026-11-15 20:30:55.952412+00', '2026-11-15 20:31:03.01921+00', NULL, '{"success":true}', NULL, '[]', '{"mime":"image/png","ext":".png","width":48,"height":32,"frames":null,"duration":null,"medium":"image","bytes":4729,"sha256":"6d765ca7de5516789759bc0d9dba0d9aabf7b0aee70824ed64d17d6a6445633f","blob":"01a1e0e7-ff5a-7811-9bfa-ed02d599ef81"}', '{"decisions":[],"command":null,"versions":{"sharp":"0.35.5","libvips":"8.18.7"},"timings":{"open":3816.3,"step":0.2,"write":214}}', NULL, '73'),
('01a1e0e7-e426-74cf-82fb-889ffe4f4d2c', '0', 'gala flip', 'photo_flip', NULL, 'Succeeded', '1', '1', '0', '2026-11-15 20:31:01.968052+00', '2026-11-15 20:31:02.563824+00', NULL, '{"success":true}', NULL, '[]', '{"mime":"image/png","ext":".png","width":48,"height":32,"frames":null,"duration":null,"medium":"image","bytes":4729,"sha256":"6d765ca7de5516789759bc0d9dba0d9aabf7b0aee70824ed64d17d6a6445633f","blob":"01a1e0e7-fd5f-72ec-b0b1-fe7045b14dfc"}', '{"decisions":[],"command":null,"versions":{"sharp":"0.35.5","libvips":"8.18.7"},"timings":{"open":381.1,"step":0,"write":76.2}}', NULL, '60'),
('01a1e0e7-e520-706e-aca0-8694da9bc1e6', '0', 'post basic', 'http_post', NULL, 'Succeeded', '1', '1', '0', '2026-11-15 20:31:02.639601+00', '2026-11-15 20:31:02.646361+00', NULL, '{"status_code":200,"response":{"id":7},"activity":[]}', NULL, '[]', '{"mime":"image/png","ext":".png","width":48,"height":32,"frames":null,"duration":null,"medium":"image","bytes":4597,"sha256":"e3ac6284e4bd276aca82d1be3944583183d3d4c0def91457bd6bbc50499a57b5","blob":"01a1e0e7-fdc8-776b-946c-d49643d8c46b"}', '{"decisions":[],"command":null,"versions":{},"timings":{"deliver":5}}', NULL, '69'),
('01a1e0e7-e520-74c1-99cd-9134fb439b9a', '0', 'flip', 'photo_flip', NULL, 'Succeeded', '1', '1', '0', '2026-11-15 20:31:02.502073+00', '2026-11-15 20:31:02.565475+00', NULL, '{"success":true}', NULL, '[]', '{"mime":"image/png","ext":".png","width":48,"height":32,"frames":null,"duration":null,"medium":"image","bytes":4729,"sha256":"6d765ca7de5516789759bc0d9dba0d9aabf7b0aee70824ed64d17d6a6445633f","blob":"01a1e0e7-fd7f-7c8d-ac07-ec1812472a81"}', '{"decisions":[],"command":null,"versions":{"sharp":"0.35.5","libvips":"8.18.7"},"timings":{"open":19.7,"step":0.1,"write":2.3}}', NULL, '58'),
('01a1e0e7-e520-78f1-9b1a-c10a33960241', '0', 'frame', 'photo_add_overlay', NULL, 'Succeeded', '1', '1', '0', '2026-11-15 20:31:02.587163+00', '2026-11-15 20:31:02.638147+00', NULL, '{"success":true}', NULL, '[]', '{"mime":"image/png","ext":".png","width":48,"height":32,"frames":null,"duration":null,"medium":"image","bytes":4597,"sha256":"e3ac6284e4bd276aca82d1be3944583183d3d4c0def91457bd6bbc50499a57b5","blob":"01a1e0e7-fdc8-776b-946c-d49643d8c46b"}', '{"decisions":[],"command":null,"versions":{"sharp":"0.35.5","libvips":"8.18.7"},"timings":{"open":2.2,"step":6.3,"write":4.3}}', NULL, '63'),
('01a1e0e7-e7fe-7117-9feb-c69f046e294c', '0', 'flip', 'photo_flip', NULL, 'Failed', '0', '1', '0', '2026-11-15 20:31:03.444+00', '2026-11-15 20:31:03.49599+00', NULL, NULL, '{"code":"unsupported_format","message":"The input is text/plain; this step takes a picture: JPEG, PNG, WebP, GIF, AVIF, TIFF or HEIC."}', '[]', NULL, NULL, NULL, '78'),
('01a1e0e7-e908-779a-8132-81f40eee2902', '0', 'frame', 'photo_add_overlay', NULL, 'Skipped', '0', '0', '0', NULL, '2026-11-15 20:31:02.55471+00', NULL, NULL, NULL, '[]', NULL, NULL, NULL, '55'),
('01a1e0e7-e908-7ae1-b6d4-9346852ebe61', '0', 'flip', 'photo_flip', NULL, 'Failed', '0', '1', '0', '2026-11-15 20:31:02.540116+00', '2026-11-15 20:31:02.551693+00', NULL, NULL, '{"code":"unsupported_format","message":"The input is text/plain; this step takes a picture: JPEG, PNG, WebP, GIF, AVIF, TIFF or HEIC."}', '[]', NULL, NULL, NULL, '53'),
('01a1e0e7-e908-7ff0-b9d6-f79b42da033a', '0', 'post basic', 'http_post', NULL, 'Skipped', '0', '0', '0', NULL, '2026-11-15 20:31:02.555506+00', NULL, NULL, NULL, '[]', NULL, NULL, NULL, '56'),
('01a1e0e8-02b0-7fa0-9284-22d9136e481b', '0', 'flip', 'photo_flip', NULL, 'Succeeded', '1', '1', '0', '2026-11-15 20:31:03.918484+00', '2026-11-15 20:31:04.047288+00', NULL, '{"success":true}', NULL, '[]', '{"mime":"image/png","ext":".png","width":48,"height":32,"frames":null,"duration":null,"medium":"image","bytes":4729,"sha256":"6d765ca7de5516789759bc0d9dba0d9aabf7b0aee70824ed64d17d6a6445633f","blob":"01a1e0e8-0341-760b-a753-4092c0c5e11d"}', '{"decisions":[],"command":null,"versions":{"sharp":"0.35.5","libvips":"8.18.7"},"timings":{"open":56,"step":0,"write":17.7}}', NULL, '85'),
('01a1e0e8-02b0-7fa0-9284-22d9136e481b', '1', 'post busy', 'http_post', '0', 'Waiting', '0', '1', '0', '2026-11-15 20:31:04.053549+00', NULL, '2026-11-15 20:40:56.256+00', NULL, E'{"code":"destination_unreachable","message":"127.0.0.1:{{receiver_port}} could not take the file just now (503): {\\"id\\": 7}"}', '[]', NULL, NULL, NULL, '87'),
('01a1e0e8-03e1-79b6-942d-c086d03d6a99', '0', 'post hang', 'http_post', NULL, 'Running', '0', '1', '0', '2026-11-15 20:31:04.267992+00', NULL, NULL, NULL, NULL, '[]', NULL, NULL, NULL, '92'),
('01a1e0e8-068f-7dd4-97c7-b421d0e4c0cd', '0', 'flip', 'photo_flip', NULL, 'Waiting', '0', '0', '0', NULL, NULL, NULL, NULL, NULL, '[]', NULL, NULL, NULL, '93'),
('01a1e0e8-06e7-7719-b54b-18cd47d7a048', '0', 'flip', 'photo_flip', NULL, 'Waiting', '0', '0', '0', NULL, NULL, NULL, NULL, NULL, '[]', NULL, NULL, NULL, '95'),
('01a1e0e8-06e7-7719-b54b-18cd47d7a048', '1', 'frame', 'photo_add_overlay', '0', 'Waiting', '0', '0', '0', NULL, NULL, NULL, NULL, NULL, '[]', NULL, NULL, NULL, '96'),
('01a1e0e8-06e7-7719-b54b-18cd47d7a048', '2', 'post wall', 'http_post', '1', 'Waiting', '0', '0', '0', NULL, NULL, NULL, NULL, NULL, '[]', NULL, NULL, NULL, '97'),
('01a1e0e8-071a-7e7a-8a0f-2a0e4e8d17b4', '0', 'flip', 'photo_flip', NULL, 'Waiting', '0', '0', '0', NULL, NULL, NULL, NULL, NULL, '[]', NULL, NULL, NULL, '99'),
('01a1e0e8-07c6-7a71-96c4-4808544fa2cf', '0', 'store', 's3_upload', NULL, 'Waiting', '0', '0', '0', NULL, NULL, NULL, NULL, NULL, '[]', NULL, NULL, NULL, '101'),
('01a1e0e8-083c-78b9-910a-22dc9d4ce617', '0', 'post basic', 'http_post', NULL, 'Waiting', '0', '0', '0', NULL, NULL, NULL, NULL, NULL, '[]', NULL, NULL, NULL, '103'),
('01a1e0e8-0859-7a4a-86b4-b29be3488b33', '0', 'film', 'video_flip', NULL, 'Waiting', '0', '0', '0', NULL, NULL, NULL, NULL, NULL, '[]', NULL, NULL, NULL, '105'),
('01a1e0e8-0891-73fd-8fbb-cb174c704297', '0', 'frame', 'photo_add_overlay', NULL, 'Waiting', '0', '0', '0', NULL, NULL, NULL, NULL, NULL, '[]', NULL, NULL, NULL, '108'),
('01a1e0e8-0891-796f-972b-a4f7e107163b', '0', 'flip', 'photo_flip', NULL, 'Waiting', '0', '0', '0', NULL, NULL, NULL, NULL, NULL, '[]', NULL, NULL, NULL, '107'),
('01a1e0e8-08cf-714f-aebd-6ac2034e94e2', '0', 'flip', 'photo_flip', NULL, 'Cancelled', '0', '0', '0', NULL, '2026-11-15 20:31:05.660344+00', NULL, NULL, '{"code":"cancelled","message":"Cancelled before it ran"}', '[]', NULL, NULL, NULL, '113');
delete from public.lookups;
insert into public.lookups (task_id, chain_id, entry, kind, key, activity) values
('01a1e0e7-de3d-7fde-8bdd-d7c9797b8d75', '01a1e0e7-de3d-7d3e-8860-b948f9d31a2e', '0', 'rfid', 'r-late', '{"task_id":"01a1e0e7-de3d-7fde-8bdd-d7c9797b8d75","chain_id":"01a1e0e7-de3d-7d3e-8860-b948f9d31a2e","entry":0,"experience_id":"park","activity_type":"content-generation","flow_id":"01a1e0e7-de3d-7be9-ada7-ecb77e6bbb60","payload":{"object_id":"ride-1","souvenir_data":{"adapter_response":{"status_code":200,"response":{"id":7}}},"vcc_config_name":"post wall","chain_id":"01a1e0e7-de3d-7d3e-8860-b948f9d31a2e","task_id":"01a1e0e7-de3d-7fde-8bdd-d7c9797b8d75"}}');
delete from public.activities;
insert into public.activities (activity_id, task_id, chain_id, entry, owner_id, experience_id, activity_type, flow_id, payload, created_at) values
('01a1e0e7-fbbf-720a-a225-8e5ce56ea6be', '01a1e0e7-e061-78d6-8929-6fef6ff02da5', '01a1e0e7-e061-77ba-b909-625f615f0bc9', '2', '01a1e0e7-c88b-7618-adf5-7f85237fb435', 'park', 'content-generation', '01a1e0e7-e061-7dbb-b980-da16778af407', '{"object_id":"ride-1","souvenir_data":{"adapter_response":{"status_code":200,"response":{"id":7}}},"vcc_config_name":"photo to wall","chain_id":"01a1e0e7-e061-77ba-b909-625f615f0bc9","task_id":"01a1e0e7-e061-78d6-8929-6fef6ff02da5"}', '2026-11-15 20:31:02.079+00'),
('01a1e0e7-fbbf-796c-9e57-ee96988fe7e8', '01a1e0e7-e061-78d6-8929-6fef6ff02da5', '01a1e0e7-e061-77ba-b909-625f615f0bc9', '2', '01a1e0e7-c81b-7215-9b14-6d42b0bc5648', 'park', 'content-generation', '01a1e0e7-e061-7dbb-b980-da16778af407', '{"object_id":"ride-1","souvenir_data":{"adapter_response":{"status_code":200,"response":{"id":7}}},"vcc_config_name":"photo to wall","chain_id":"01a1e0e7-e061-77ba-b909-625f615f0bc9","task_id":"01a1e0e7-e061-78d6-8929-6fef6ff02da5"}', '2026-11-15 20:31:02.079+00');
delete from public.callbacks;
insert into public.callbacks (callback_id, task_id, run, experience_id, url, receiver, body, status, attempt_count, next_attempt_at, job_id, worker_id, created_at, updated_at) values
('01a1e0e7-fbba-7683-8f79-95f69f440fc8', '01a1e0e7-e061-78d6-8929-6fef6ff02da5', '1', 'park', 'http://127.0.0.1:{{receiver_port}}/hook/ok', '127.0.0.1:{{receiver_port}}', '{"task_id":"01a1e0e7-e061-78d6-8929-6fef6ff02da5","configuration":"photo to wall","status":"Succeeded","results":[{"result":{"success":true},"error":false,"configuration":{"name":"flip","chain_id":"01a1e0e7-e061-77ba-b909-625f615f0bc9","input_idx":null}},{"result":{"success":true},"error":false,"configuration":{"name":"frame","chain_id":"01a1e0e7-e061-77ba-b909-625f615f0bc9","input_idx":0}},{"result":{"status_code":200,"response":{"id":7},"activity":["01a1e0e7-fbbf-796c-9e57-ee96988fe7e8","01a1e0e7-fbbf-720a-a225-8e5ce56ea6be"]},"error":false,"configuration":{"name":"post wall","chain_id":"01a1e0e7-e061-77ba-b909-625f615f0bc9","input_idx":1}}]}', 'Delivered', '1', NULL, NULL, NULL, '2026-11-15 20:31:02.076342+00', '2026-11-15 20:31:02.248597+00'),
('01a1e0e7-fd9c-7423-82a9-4a24fd3978d7', '01a1e0e7-e908-7d18-8f57-443e4641a719', '1', 'park', 'http://127.0.0.1:{{receiver_port}}/hook/ok', '127.0.0.1:{{receiver_port}}', '{"status":"Failed","task_id":"01a1e0e7-e908-7d18-8f57-443e4641a719","results":[{"error":true,"result":"The input is text/plain; this step takes a picture: JPEG, PNG, WebP, GIF, AVIF, TIFF or HEIC.","configuration":"flip"},{"error":true,"result":"Not run, because flip before it failed.","configuration":"frame"},{"error":true,"result":"Not run, because flip before it failed.","configuration":"post basic"}]}', 'Delivered', '1', NULL, NULL, NULL, '2026-11-15 20:31:02.556699+00', '2026-11-15 20:31:02.611894+00'),
('01a1e0e7-fda1-7c69-9c0d-a62112f528c8', '01a1e0e7-e426-76d8-84e3-8d72d587e83a', '1', 'gala', 'http://127.0.0.1:{{receiver_port}}/hook/down', '127.0.0.1:{{receiver_port}}', '{"task_id":"01a1e0e7-e426-76d8-84e3-8d72d587e83a","configuration":"gala flip","status":"Succeeded","results":[{"result":{"success":true},"error":false,"configuration":{"name":"gala flip","chain_id":"01a1e0e7-e426-74cf-82fb-889ffe4f4d2c","input_idx":null}}]}', 'Waiting', '1', '2026-11-15 20:40:14.183+00', '01a1e0e7-fdd3-769e-8a19-f5afa1b3b0c1', NULL, '2026-11-15 20:31:02.563824+00', '2026-11-15 20:31:02.627992+00'),
('01a1e0e7-fda2-7d80-950d-9d0a9484fbde', '01a1e0e7-e7fe-75a9-b0b4-f34eb124eb94', '1', 'park', 'http://127.0.0.1:{{receiver_port}}/hook/ok', '127.0.0.1:{{receiver_port}}', '{"task_id":"01a1e0e7-e7fe-75a9-b0b4-f34eb124eb94","configuration":"flip","status":"Failed","results":[{"result":"The input is text/plain; this step takes a picture: JPEG, PNG, WebP, GIF, AVIF, TIFF or HEIC.","error":true,"configuration":"flip","chain_id":"01a1e0e7-e7fe-7117-9feb-c69f046e294c","input_idx":null}]}', 'Delivered', '1', NULL, NULL, NULL, '2026-11-15 20:31:02.56286+00', '2026-11-15 20:31:02.640283+00'),
('01a1e0e7-fdf7-7912-b6bf-f0bf374f6281', '01a1e0e7-e520-7c84-835d-5767b9aa1dca', '1', 'park', 'http://127.0.0.1:{{receiver_port}}/hook/ok', '127.0.0.1:{{receiver_port}}', '{"status":"Succeeded","task_id":"01a1e0e7-e520-7c84-835d-5767b9aa1dca","results":[{"error":false,"result":[{"success":true}],"configuration":"flip"},{"error":false,"result":[{"success":true}],"configuration":"frame"},{"error":false,"result":[{"status_code":200,"response":{"id":7},"activity":[]}],"configuration":"post basic"}]}', 'Delivered', '1', NULL, NULL, NULL, '2026-11-15 20:31:02.654797+00', '2026-11-15 20:31:02.734214+00'),
('01a1e0e7-fe1e-7eb3-b654-3379ca7359c3', '01a1e0e7-dd34-7d48-a22f-07aebeceb74e', '1', 'park', 'http://127.0.0.1:{{receiver_port}}/hook/ok', '127.0.0.1:{{receiver_port}}', '{"task_id":"01a1e0e7-dd34-7d48-a22f-07aebeceb74e","configuration":"flip","status":"Succeeded","results":[{"result":{"success":true},"error":false,"configuration":{"name":"flip","chain_id":"01a1e0e7-dd35-7d55-a466-5a06e0d88cdb","input_idx":null}}]}', 'Delivered', '1', NULL, NULL, NULL, '2026-11-15 20:31:02.688015+00', '2026-11-15 20:31:02.720803+00'),
('01a1e0e7-fe85-7624-aa12-f42ca4c92d15', '01a1e0e7-e228-7d05-97aa-79216113be5b', '1', 'park', 'http://127.0.0.1:{{receiver_port}}/hook/gone', '127.0.0.1:{{receiver_port}}', '{"task_id":"01a1e0e7-e228-7d05-97aa-79216113be5b","configuration":"flip gone","status":"Succeeded","results":[{"result":{"success":true},"error":false,"configuration":{"name":"flip gone","chain_id":"01a1e0e7-e228-710c-afaa-2516652254b1","input_idx":null}}]}', 'GivenUp', '1', NULL, NULL, NULL, '2026-11-15 20:31:02.794539+00', '2026-11-15 20:31:02.838634+00'),
('01a1e0e7-ff66-7561-9270-7e54e0edb5eb', '01a1e0e7-e38b-701b-94f4-013de6f25f73', '1', 'park', 'http://127.0.0.1:{{receiver_port}}/hook/down', '127.0.0.1:{{receiver_port}}', '{"task_id":"01a1e0e7-e38b-701b-94f4-013de6f25f73","configuration":"flip down","status":"Succeeded","results":[{"result":{"success":true},"error":false,"configuration":{"name":"flip down","chain_id":"01a1e0e7-e38b-7bfd-a84e-c3bfdc650027","input_idx":null}}]}', 'Waiting', '1', '2026-11-15 20:40:12.764+00', '01a1e0e7-ff9c-7f52-8ec7-f66b0504a93e', NULL, '2026-11-15 20:31:03.01921+00', '2026-11-15 20:31:03.07071+00'),
('01a1e0e8-0149-7267-89ca-c710b2176878', '01a1e0e7-e7fe-75a9-b0b4-f34eb124eb94', '2', 'park', 'http://127.0.0.1:{{receiver_port}}/hook/ok', '127.0.0.1:{{receiver_port}}', '{"task_id":"01a1e0e7-e7fe-75a9-b0b4-f34eb124eb94","configuration":"flip","status":"Failed","results":[{"result":"The input is text/plain; this step takes a picture: JPEG, PNG, WebP, GIF, AVIF, TIFF or HEIC.","error":true,"configuration":"flip","chain_id":"01a1e0e7-e7fe-7117-9feb-c69f046e294c","input_idx":null}]}', 'Delivered', '1', NULL, NULL, NULL, '2026-11-15 20:31:03.498243+00', '2026-11-15 20:31:03.571314+00'),
('01a1e0e8-09dd-7c9c-89ea-2ae7e4093251', '01a1e0e8-08cf-7931-b146-39857306a896', '1', 'park', 'http://127.0.0.1:{{receiver_port}}/hook/ok', '127.0.0.1:{{receiver_port}}', '{"task_id":"01a1e0e8-08cf-7931-b146-39857306a896","configuration":"flip","status":"Failed","results":[{"result":"Cancelled before it ran","error":true,"configuration":"flip","chain_id":"01a1e0e8-08cf-714f-aebd-6ac2034e94e2","input_idx":null}]}', 'Waiting', '0', '2026-11-15 20:31:05.753679+00', '01a1e0e8-09dd-7e76-8039-2c670441909d', NULL, '2026-11-15 20:31:05.753679+00', '2026-11-15 20:31:05.753679+00');
delete from public.callback_attempts;
insert into public.callback_attempts (callback_id, at, status_code, error, duration_ms) values
('01a1e0e7-fbba-7683-8f79-95f69f440fc8', '2026-11-15 20:31:02.119+00', '200', NULL, '117'),
('01a1e0e7-fd9c-7423-82a9-4a24fd3978d7', '2026-11-15 20:31:02.578+00', '200', NULL, '32'),
('01a1e0e7-fda1-7c69-9c0d-a62112f528c8', '2026-11-15 20:31:02.592+00', '503', 'The receiver answered 503.', '19'),
('01a1e0e7-fda2-7d80-950d-9d0a9484fbde', '2026-11-15 20:31:02.616+00', '200', NULL, '15'),
('01a1e0e7-fdf7-7912-b6bf-f0bf374f6281', '2026-11-15 20:31:02.72+00', '200', NULL, '8'),
('01a1e0e7-fe1e-7eb3-b654-3379ca7359c3', '2026-11-15 20:31:02.702+00', '200', NULL, '14'),
('01a1e0e7-fe85-7624-aa12-f42ca4c92d15', '2026-11-15 20:31:02.815+00', '410', 'The receiver answered 410.', '21'),
('01a1e0e7-ff66-7561-9270-7e54e0edb5eb', '2026-11-15 20:31:03.032+00', '503', 'The receiver answered 503.', '36'),
('01a1e0e8-0149-7267-89ca-c710b2176878', '2026-11-15 20:31:03.524+00', '200', NULL, '45');
delete from public.idempotency_keys;
insert into public.idempotency_keys (key, token, fingerprint, task_id, created_at) values
('key-finished', 'operator', 'd25036f46742db3226dcc19de2c2ef5072c2e43d5934dcc0f2898842ba2ea1d1', '01a1e0e7-dd34-7d48-a22f-07aebeceb74e', '2026-11-15 20:30:54.269+00'),
('key-waiting', 'operator', 'd25036f46742db3226dcc19de2c2ef5072c2e43d5934dcc0f2898842ba2ea1d1', '01a1e0e8-068f-745a-856b-99dad0a8e1e4', '2026-11-15 20:31:04.849+00');
delete from public.workers;
insert into public.workers (worker_id, lock, host, doing, started_at, seen_at) values
('01a1e0e7-da61-7f70-8667-ad114f016ba7', '22891243138412', 'booth', '[{"task_id":"01a1e0e8-02b0-72f6-9f33-d36183c0da92","lane":"picture","since":"2026-11-15T20:31:03.905Z"}]', '2026-11-15 20:30:53.737424+00', '2026-11-15 20:31:03.759737+00');
delete from public.turns;
insert into public.turns (lane, share, tag) values
('callback', '127.0.0.1:{{receiver_port}}', '3'),
('picture', '', '10'),
('picture', 'gala', '5'),
('picture', 'park', '19'),
('video', 'park', '1');
delete from public.uploads;
delete from public.minutes;
delete from public.task_guests;
insert into public.task_guests (profile_id, task_id) values
('01a1e0e7-c81b-7215-9b14-6d42b0bc5648', '01a1e0e7-e061-78d6-8929-6fef6ff02da5'),
('01a1e0e7-c88b-7618-adf5-7f85237fb435', '01a1e0e7-e061-78d6-8929-6fef6ff02da5');
delete from pgboss.version;
insert into pgboss.version (version, cron_on, bam_on, flow_on, reindex_on, monitor_backoff_on) values
('43', NULL, '2026-11-15 20:30:42.372058+00', '2026-11-15 20:31:03.728133+00', NULL, NULL);
delete from pgboss.queue;
insert into pgboss.queue (name, policy, retry_limit, retry_delay, retry_backoff, retry_delay_max, expire_seconds, retention_seconds, deletion_seconds, dead_letter, partition, table_name, deferred_count, queued_count, ready_count, warning_queued, active_count, failed_count, total_count, created_delta, completed_delta, failed_delta, delta_on, delta_seconds, ready_history, heartbeat_seconds, notify, singletons_active, monitor_claim_on, monitor_on, maintain_on, created_on, updated_on) values
('callback', 'standard', '100000', '0', 'false', NULL, '86399', '315360000', '3600', NULL, 'false', 'job_common', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', NULL, NULL, '{}', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-15 20:30:42.205103+00', '2026-11-15 20:30:42.205103+00'),
('picture', 'standard', '100000', '0', 'false', NULL, '86399', '315360000', '3600', NULL, 'false', 'job_common', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', NULL, NULL, '{}', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-15 20:30:42.198391+00', '2026-11-15 20:30:42.198391+00'),
('video', 'standard', '100000', '0', 'false', NULL, '86399', '315360000', '3600', NULL, 'false', 'job_common', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', NULL, NULL, '{}', NULL, 'false', NULL, NULL, NULL, NULL, '2026-11-15 20:30:42.203761+00', '2026-11-15 20:30:42.203761+00');
delete from pgboss.schedule;
delete from pgboss.subscription;
delete from pgboss.bam;
delete from pgboss.job;
insert into pgboss.job (id, name, priority, data, state, retry_limit, retry_count, retry_delay, retry_backoff, retry_delay_max, expire_seconds, deletion_seconds, singleton_key, singleton_on, group_id, group_tier, start_after, created_on, started_on, completed_on, keep_until, output, dead_letter, policy, heartbeat_on, heartbeat_seconds, blocked, blocking, pending_dependencies, source_name, source_id, source_created_on, source_retry_count, source_output, source_root_id) values
('01a1e0e7-fdd3-769e-8a19-f5afa1b3b0c1', 'callback', '-1', '{"turn": 1, "callback_id": "01a1e0e7-fda1-7c69-9c0d-a62112f528c8"}', 'created', '100000', '0', '0', 'false', NULL, '86399', '3600', NULL, NULL, '127.0.0.1:{{receiver_port}}', NULL, '2026-11-15 20:40:14.183+00', '2026-11-15 20:31:02.627992+00', NULL, NULL, '2036-11-12 20:40:14.183+00', NULL, NULL, 'standard', NULL, NULL, 'false', 'false', '0', NULL, NULL, NULL, NULL, NULL, NULL),
('01a1e0e7-ff9c-7f52-8ec7-f66b0504a93e', 'callback', '-2', '{"turn": 2, "callback_id": "01a1e0e7-ff66-7561-9270-7e54e0edb5eb"}', 'created', '100000', '0', '0', 'false', NULL, '86399', '3600', NULL, NULL, '127.0.0.1:{{receiver_port}}', NULL, '2026-11-15 20:40:12.764+00', '2026-11-15 20:31:03.07071+00', NULL, NULL, '2036-11-12 20:40:12.764+00', NULL, NULL, 'standard', NULL, NULL, 'false', 'false', '0', NULL, NULL, NULL, NULL, NULL, NULL),
('01a1e0e8-038a-71ce-b09e-89f8396e33c8', 'picture', '-11', '{"turn": 11, "task_id": "01a1e0e8-02b0-72f6-9f33-d36183c0da92"}', 'created', '100000', '0', '0', 'false', NULL, '86399', '3600', NULL, NULL, 'park', NULL, '2026-11-15 20:40:56.256+00', '2026-11-15 20:31:04.082176+00', NULL, NULL, '2036-11-12 20:40:56.256+00', NULL, NULL, 'standard', NULL, NULL, 'false', 'false', '0', NULL, NULL, NULL, NULL, NULL, NULL),
('01a1e0e8-03db-7cae-b797-2c4046f27448', 'picture', '-12', '{"turn": 12, "task_id": "01a1e0e8-03e1-77d0-85aa-ac3928ddea8e"}', 'active', '100000', '0', '0', 'false', NULL, '86399', '3600', NULL, NULL, 'park', NULL, '2026-11-15 20:31:04.162747+00', '2026-11-15 20:31:04.162747+00', '2026-11-15 20:31:04.178026+00', NULL, '2036-11-12 20:31:04.162747+00', NULL, NULL, 'standard', '2026-11-15 20:31:04.178026+00', NULL, 'false', 'false', '0', NULL, NULL, NULL, NULL, NULL, NULL),
('01a1e0e8-0670-7e19-9d5e-6297023ed181', 'picture', '-13', '{"turn": 13, "task_id": "01a1e0e8-068f-745a-856b-99dad0a8e1e4"}', 'created', '100000', '0', '0', 'false', NULL, '86399', '3600', NULL, NULL, 'park', NULL, '2026-11-15 20:31:04.848379+00', '2026-11-15 20:31:04.848379+00', NULL, NULL, '2036-11-12 20:31:04.848379+00', NULL, NULL, 'standard', NULL, NULL, 'false', 'false', '0', NULL, NULL, NULL, NULL, NULL, NULL),
('01a1e0e8-06ca-71c8-8cd6-859b9512e5e9', 'picture', '-14', '{"turn": 14, "task_id": "01a1e0e8-06e7-7198-aa70-1e1c63388bfe"}', 'created', '100000', '0', '0', 'false', NULL, '86399', '3600', NULL, NULL, 'park', NULL, '2026-11-15 20:31:04.936172+00', '2026-11-15 20:31:04.936172+00', NULL, NULL, '2036-11-12 20:31:04.936172+00', NULL, NULL, 'standard', NULL, NULL, 'false', 'false', '0', NULL, NULL, NULL, NULL, NULL, NULL),
('01a1e0e8-0705-7c4c-b0f8-16bcfc49a2e9', 'picture', '-15', '{"turn": 15, "task_id": "01a1e0e8-071a-7f32-8036-f08ba0377cfb"}', 'created', '100000', '0', '0', 'false', NULL, '86399', '3600', NULL, NULL, 'park', NULL, '2026-11-15 20:31:04.993833+00', '2026-11-15 20:31:04.993833+00', NULL, NULL, '2036-11-12 20:31:04.993833+00', NULL, NULL, 'standard', NULL, NULL, 'false', 'false', '0', NULL, NULL, NULL, NULL, NULL, NULL),
('01a1e0e8-07c6-7b53-8806-5600c72d68d4', 'picture', '-16', '{"turn": 16, "task_id": "01a1e0e8-07c6-76f2-9a9b-e3fe42b4405d"}', 'created', '100000', '0', '0', 'false', NULL, '86399', '3600', NULL, NULL, 'park', NULL, '2026-11-15 20:31:05.159391+00', '2026-11-15 20:31:05.159391+00', NULL, NULL, '2036-11-12 20:31:05.159391+00', NULL, NULL, 'standard', NULL, NULL, 'false', 'false', '0', NULL, NULL, NULL, NULL, NULL, NULL),
('01a1e0e8-0838-7f45-aabb-e9de76194fd8', 'picture', '-17', '{"turn": 17, "task_id": "01a1e0e8-083c-7330-adbd-2f49f58931c8"}', 'created', '100000', '0', '0', 'false', NULL, '86399', '3600', NULL, NULL, 'park', NULL, '2026-11-15 20:31:05.277513+00', '2026-11-15 20:31:05.277513+00', NULL, NULL, '2036-11-12 20:31:05.277513+00', NULL, NULL, 'standard', NULL, NULL, 'false', 'false', '0', NULL, NULL, NULL, NULL, NULL, NULL),
('01a1e0e8-0858-702f-9876-1a19a2b21175', 'video', '-1', '{"turn": 1, "task_id": "01a1e0e8-0859-7c0e-a71a-2d515dab4ccf"}', 'created', '100000', '0', '0', 'false', NULL, '86399', '3600', NULL, NULL, 'park', NULL, '2026-11-15 20:31:05.30539+00', '2026-11-15 20:31:05.30539+00', NULL, NULL, '2036-11-12 20:31:05.30539+00', NULL, NULL, 'standard', NULL, NULL, 'false', 'false', '0', NULL, NULL, NULL, NULL, NULL, NULL),
('01a1e0e8-0890-7f6f-92aa-28f71ed22469', 'picture', '-18', '{"turn": 18, "task_id": "01a1e0e8-0891-748b-b01c-932b783be69c"}', 'created', '100000', '0', '0', 'false', NULL, '86399', '3600', NULL, NULL, 'park', NULL, '2026-11-15 20:31:05.362789+00', '2026-11-15 20:31:05.362789+00', NULL, NULL, '2036-11-12 20:31:05.362789+00', NULL, NULL, 'standard', NULL, NULL, 'false', 'false', '0', NULL, NULL, NULL, NULL, NULL, NULL),
('01a1e0e8-09dd-7e76-8039-2c670441909d', 'callback', '-3', '{"turn": 3, "callback_id": "01a1e0e8-09dd-7c9c-89ea-2ae7e4093251"}', 'created', '100000', '0', '0', 'false', NULL, '86399', '3600', NULL, NULL, '127.0.0.1:{{receiver_port}}', NULL, '2026-11-15 20:31:05.753679+00', '2026-11-15 20:31:05.753679+00', NULL, NULL, '2036-11-12 20:31:05.753679+00', NULL, NULL, 'standard', NULL, NULL, 'false', 'false', '0', NULL, NULL, NULL, NULL, NULL, NULL);
delete from pgboss.warning;
delete from pgboss.queue_stats;
delete from pgboss.job_dependency;
select setval('public.changes', 114);
