-- Callbacks say what they tell of, and carry headers of the receiver's own.

alter table callbacks add column event text not null default 'task' check (event in ('task', 'taskgroup'));
comment on column callbacks.event is 'What the callback tells of: the header keepsake-event.';
-- Of a task that is gone only the body tells: that of a group begins with its status.
update callbacks set event = 'taskgroup' where body like '{"status":%';

alter table experiences add column webhook_headers bytea;
comment on column experiences.webhook_headers is 'Sealed JSON: [{origin, headers}], sent with callbacks to exactly that origin. Null: none.';

-- What was taken back is marked where it was told of.
alter table entries add column retracted_at timestamptz;
comment on column entries.retracted_at is 'When its delivery was taken back: what its result names is gone.';
alter table activities add column retracted_at timestamptz;
comment on column activities.retracted_at is 'The same, of the entry that it tells of.';

-- Tasks are listed by what went wrong, and those that can be run again by experience and configuration.
create table task_errors (
  task_id uuid not null references tasks on delete cascade,
  code text not null,
  is_group boolean not null,
  experience_id text not null,
  created_at timestamptz not null,
  primary key (task_id, code)
);
comment on table task_errors is 'The codes of the errors that entries of a task ended with, in its last run. The other columns are those of the task.';
insert into task_errors (task_id, code, is_group, experience_id, created_at)
  select distinct t.task_id, e.error ->> 'code', t.is_group, t.experience_id, t.created_at
  from entries e join chains c using (chain_id) join tasks t using (task_id)
  where t.ended_at is not null and e.status in ('Failed', 'Cancelled') and e.error ->> 'code' is not null;
create index task_errors_code on task_errors (code, is_group, created_at desc, task_id desc);
create index task_errors_experience on task_errors (code, experience_id, is_group, created_at desc, task_id desc);
create index tasks_unsuccessful_experience on tasks (experience_id, is_group) where status in ('Failed', 'Cancelled');
create index callbacks_given_up on callbacks (experience_id) where status = 'GivenUp';
create index tasks_unsuccessful_configuration on tasks (configuration, is_group) where status in ('Failed', 'Cancelled');
