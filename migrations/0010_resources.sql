-- Every state of a resource has a mark of its own, so that a writer can say which one it read.

alter table configurations add column revision uuid not null default gen_random_uuid();
alter table profiles add column revision uuid not null default gen_random_uuid();
alter table experiences add column revision uuid not null default gen_random_uuid();
comment on column configurations.revision is 'New at every change; the ETag is made of it. The default is for rows of before.';

-- An experience may be planned before it is used, and put away afterwards.
alter table experiences add column time_zone text;
alter table experiences add column starts_at timestamptz;
alter table experiences add column ends_at timestamptz;
alter table experiences add column archived boolean not null default false;
create index experiences_archived on experiences (archived, created_at desc, experience_id desc);

-- What a configuration was before, and who made it so. `history` tells apart things that had the same name one after the other.
alter table configurations add column history uuid not null default gen_random_uuid();
alter table configurations add column version integer not null default 1;
create table configuration_versions (
  history uuid not null,
  version integer not null,
  configuration_name text not null,
  experience_id text,
  kind text not null,
  adapter_name text,
  defaults json,
  auth bytea,
  activity_config json,
  call_chain json,
  webhook_url text,
  change text not null,
  restored_from integer,
  changed_by json,
  created_at timestamptz not null,
  replaced_at timestamptz,
  primary key (history, version)
);
comment on table configuration_versions is 'Every state of a configuration, the current one too: options and credentials as they belong together.';
comment on column configuration_versions.changed_by is 'Null: before this was kept.';
create index configuration_versions_replaced on configuration_versions (replaced_at) where replaced_at is not null;
insert into configuration_versions (history, version, configuration_name, experience_id, kind, adapter_name, defaults, auth, activity_config, call_chain, webhook_url, change, created_at)
  select history, version, configuration_name, experience_id, kind, adapter_name, defaults, auth, activity_config, call_chain, webhook_url, 'made', updated_at from configurations;

alter table assets add column history uuid not null default gen_random_uuid();
alter table asset_versions add column history uuid;
alter table asset_versions add column version integer;
alter table asset_versions add column experience_id text;
alter table asset_versions add column change text;
alter table asset_versions add column restored_from integer;
alter table asset_versions add column changed_by json;
alter table asset_versions add column sweep_at timestamptz;
comment on column asset_versions.history is 'Null: no longer among the versions of an asset, and kept only as long as a task needs its file.';
comment on column asset_versions.sweep_at is 'From when on the sweeper looks whether it may go; later than before if a task needed its file then. Null: current.';
comment on column asset_versions.replaced_at is 'When another one took its place, or the asset was deleted.';
update asset_versions v set history = a.history, version = 1, experience_id = a.experience_id, change = 'made' from assets a where a.version_id = v.version_id;
update asset_versions set sweep_at = replaced_at where replaced_at is not null;
drop index asset_versions_replaced;
create index asset_versions_sweep on asset_versions (sweep_at) where sweep_at is not null;
create unique index asset_versions_history on asset_versions (history, version) where history is not null;
create index asset_versions_blob on asset_versions (blob);

create table deletions (
  history uuid primary key,
  noun text not null check (noun in ('configuration', 'asset')),
  name text not null,
  experience_id text,
  version integer not null,
  made_at timestamptz not null,
  deleted_at timestamptz not null
);
comment on table deletions is 'Configurations and assets that can still be undeleted. Their state is that version of their history.';
create index deletions_name on deletions (noun, name, deleted_at desc);
create index deletions_age on deletions (deleted_at);

-- Who changed what, when, from where.
create table audit_events (
  event_id uuid primary key,
  action text not null,
  object text not null,
  object_id text not null,
  experience_id text,
  actor_kind text not null,
  token_id uuid,
  actor text not null,
  address text,
  before json,
  after json,
  created_at timestamptz not null
);
comment on column audit_events.before is 'Masked and clipped. Null: there was nothing, or it told of a person who was erased.';
create index audit_events_newest on audit_events (created_at desc, event_id desc);
create index audit_events_object on audit_events (object, created_at desc, event_id desc);
create index audit_events_object_id on audit_events (object_id, created_at desc, event_id desc);
create index audit_events_action on audit_events (action, created_at desc, event_id desc);
create index audit_events_actor on audit_events (actor, created_at desc, event_id desc);
create index audit_events_token on audit_events (token_id, created_at desc, event_id desc);
create index audit_events_experience on audit_events (experience_id, created_at desc, event_id desc);
