-- An asset or a single configuration that belongs to no experience is shared: every experience may use it.

alter table configurations alter column experience_id drop not null;
alter table configurations add column overridable text[];
alter table configurations add constraint configurations_shared check (experience_id is not null or kind <> 'chain');
comment on column configurations.experience_id is 'Null: shared by all experiences.';
comment on column configurations.overridable is 'Of a shared one: the options that extras may change. Null: it is not shared.';
alter table configuration_versions add column overridable text[];

alter table assets alter column experience_id drop not null;
comment on column assets.experience_id is 'Null: shared by all experiences.';
