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
