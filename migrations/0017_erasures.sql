-- Erasures: a person, or all that was made with a keepsake, is taken back. What is left of it is a signed receipt without a name in it.

create table erasures (
  erasure_id uuid primary key,
  receipt_hash bytea unique,
  profile_id uuid,
  keepsake_id uuid,
  covers text[],
  seen_by text[],
  takes_shared boolean not null,
  actor json,
  status text not null check (status in ('Running', 'Pending', 'Done')),
  counts json not null,
  receipt text not null,
  signature text not null,
  key_id text not null,
  next_at timestamptz,
  leased_by uuid,
  leased_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  done_at timestamptz
);
comment on column erasures.receipt_hash is 'The digest of the key that opens the receipt for the guest who asked; null: whoever asked has a token.';
comment on column erasures.profile_id is 'The person, until all of them is gone.';
comment on column erasures.covers is 'The experiences that it reaches: those of the token. Null: all.';
comment on column erasures.seen_by is 'A token reads the receipt if it may see all of these experiences. Null: only one that is not limited.';
comment on column erasures.actor is 'Who asked, for the audit. Null once that is written.';
comment on column erasures.counts is 'What went, by its kind.';
comment on column erasures.receipt is 'The JSON text that is signed.';
comment on column erasures.next_at is 'When a worker goes on with it. Null: there is nothing left to do.';
comment on column erasures.leased_by is 'The process that works on it until leased_until; it renews that while it lives.';
create index erasures_next on erasures (next_at) where next_at is not null;
create index erasures_profile on erasures (profile_id) where profile_id is not null;

create table erasure_lines (
  erasure_id uuid not null references erasures on delete cascade,
  what text not null check (what in ('delivery', 'callback', 'task', 'activity')),
  task_id uuid not null,
  index integer not null,
  configuration text,
  adapter_name text,
  receiver text,
  state text not null check (state in ('removed', 'kept', 'pending')),
  code text,
  reason text,
  sealed bytea,
  tries integer not null default 0,
  next_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (erasure_id, what, task_id, index)
);
comment on table erasure_lines is 'What an erasure found outside of the database: gone, not to be had back, or still to be reached.';
comment on column erasure_lines.sealed is 'What is needed to take the delivery back, sealed, until it is gone or given up.';

create index erasure_lines_sealed on erasure_lines (erasure_id) where sealed is not null;

alter table tasks add column erasing uuid;
comment on column tasks.erasing is 'The erasure that takes this task away. It runs no more.';
create index tasks_erasing on tasks (erasing) where erasing is not null;

alter table keepsakes add column erased_at timestamptz;
comment on column keepsakes.erased_at is 'When it was taken back: its page says that it is gone.';

create index idempotency_keys_task on idempotency_keys (task_id) where task_id is not null;
