-- What guests agreed to, and who a keepsake belongs to.

alter table profiles add column consent json;
comment on column profiles.consent is 'What the guest agreed to or refused: share, wall, marketing. Null: nothing was said.';
alter table keepsakes add column consent json;
alter table tasks add column consent json;

alter table configurations
  add column needs_consent text[] not null default '{}',
  add column without_consent text not null default 'skip' check (without_consent in ('skip', 'wait'));
comment on column configurations.needs_consent is 'What guests must have agreed to before it runs for them.';
comment on column configurations.without_consent is 'skip: it is left out. wait: the task waits for the consent, at most a day.';

alter table configuration_versions
  add column needs_consent text[] not null default '{}',
  add column without_consent text not null default 'skip' check (without_consent in ('skip', 'wait'));

create table keepsake_lookups (
  keepsake_id uuid not null references keepsakes on delete cascade,
  position integer not null,
  kind text not null,
  key text not null,
  value text not null,
  primary key (keepsake_id, position),
  unique (keepsake_id, kind, key)
);
comment on table keepsake_lookups is 'What the guest of a keepsake is known by. It may be told before or after the media was made.';
create index keepsake_lookups_key on keepsake_lookups (kind, key);

create table consent_waits (
  task_id uuid not null references tasks on delete cascade,
  kind text not null,
  key text not null,
  primary key (task_id, kind, key)
);
comment on table consent_waits is 'Whose word a task waits for: lookup values of guests, or a keepsake. Who writes a consent wakes the tasks that wait for it.';
create index consent_waits_key on consent_waits (kind, key);
