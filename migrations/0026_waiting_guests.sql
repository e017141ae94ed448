-- beside: 0025_merged_profiles.sql
-- Who gets a profile after a task ended is its guest too, also where the task asked for no activity.

create table waiting_guests (
  task_id uuid not null references tasks on delete cascade,
  chain_id uuid not null,
  kind text not null,
  key text not null,
  primary key (chain_id, kind, key)
);
comment on table waiting_guests is 'Lookups of ended tasks that found nobody: who brings such a value is a guest of the task.';
create index waiting_guests_value on waiting_guests (kind, key);
create index waiting_guests_task on waiting_guests (task_id);
