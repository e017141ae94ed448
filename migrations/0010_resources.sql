-- Every state of a resource has a mark of its own, so that a writer can say which one it read.

alter table configurations add column revision uuid not null default gen_random_uuid();
alter table profiles add column revision uuid not null default gen_random_uuid();
alter table experiences add column revision uuid not null default gen_random_uuid();
comment on column configurations.revision is 'New at every change; the ETag is made of it. The default is for rows of before.';
