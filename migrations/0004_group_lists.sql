-- Lists of task groups by configuration, and of groups among many tasks, are read in the order of an index.

alter table chains add column group_created_at timestamptz, add column group_experience_id text;
comment on column chains.group_created_at is 'As its task group has it, for lists of groups by configuration; null in a task.';
comment on column chains.group_experience_id is 'The same.';
update chains c set group_created_at = t.created_at, group_experience_id = t.experience_id from tasks t where t.task_id = c.task_id and t.is_group;
create index chains_group on chains (configuration, group_created_at desc, task_id desc) where group_created_at is not null;
create index chains_group_experience on chains (configuration, group_experience_id, group_created_at desc, task_id desc) where group_created_at is not null;

create index tasks_kind on tasks (is_group, created_at desc, task_id desc);
drop index tasks_newest;
