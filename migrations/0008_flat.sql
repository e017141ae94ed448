-- What is looked for again and again (by the sweeper, by the overview, for a free place) is found in the order of an index.

-- Files go when the retention of their own experience is over, which may change at any time.
drop index tasks_files;
create index tasks_files on tasks (experience_id, ended_at) where files_deleted_at is null and ended_at is not null;
create index tasks_records on tasks (ended_at) where files_deleted_at is not null and ended_at is not null;

-- Tasks that are open: counted by lane, and walked through for those whose job is lost or that wait for room in their experience.
drop index tasks_open;
create index tasks_open on tasks (experience_id, status, lane) where status in ('Waiting', 'Running');
create index tasks_waiting on tasks (lane) where status = 'Waiting';
create index tasks_unclaimed on tasks (task_id) where worker_id is null and status in ('Waiting', 'Running');
create index tasks_parked on tasks (experience_id, created_at) where job_id is null and worker_id is null and status in ('Waiting', 'Running');
create index tasks_failed on tasks (ended_at) where status = 'Failed';
create index tasks_failed_experience on tasks (experience_id, ended_at) where status = 'Failed';

create table asset_pins (
  blob text not null,
  task_id uuid not null references tasks on delete cascade,
  primary key (blob, task_id)
);
comment on table asset_pins is 'The files of assets that a task may still need, by the names in chains.assets; gone with the files of the task.';
insert into asset_pins (blob, task_id)
  select distinct a.value ->> 'blob', t.task_id from tasks t join chains c using (task_id), json_each(c.assets) a
  where t.files_deleted_at is null and a.value ->> 'blob' is not null;
create index asset_pins_task on asset_pins (task_id);
comment on column asset_versions.replaced_at is 'When it was replaced, or later seen to be needed by a task all the same: the sweeper looks again after a while.';

-- Deleting a row looks for those that name it.
create index assets_version on assets (version_id);
create index sessions_token on sessions (token_id) where token_id is not null;

create index uploads_age on uploads (created_at);
create index snapshots_age on snapshots (used_at);

-- A callback that still waits when the record of its task goes is let be, and goes when it has ended.
alter table callbacks add column task_gone boolean not null default false;
update callbacks c set task_gone = true where not exists (select from tasks t where t.task_id = c.task_id);
create index callbacks_left on callbacks (callback_id) where task_gone and status <> 'Waiting';
drop index callbacks_due;
create index callbacks_due on callbacks (next_attempt_at, callback_id) where status = 'Waiting';
create index callbacks_waiting on callbacks (experience_id) where status = 'Waiting';
create index callbacks_failing on callbacks (experience_id, receiver, callback_id) where status = 'Waiting' and attempt_count > 0;

-- Finished tasks are counted by the length of a point of every plot, of each experience and (as '') of all.
delete from minutes where minute < now() - interval '8 days';
alter table minutes add column width integer not null default 1;
alter table minutes alter column width drop default;
alter table minutes drop constraint minutes_pkey;
alter table minutes add primary key (width, experience_id, minute);
create index minutes_age on minutes (minute);
comment on column minutes.width is 'How many minutes are counted together, from `minute` on.';
comment on column minutes.experience_id is 'Empty: all experiences together.';
with wide as (
  select w.width, e.experience_id, to_timestamp(floor(extract(epoch from m.minute) / (w.width * 60)) * w.width * 60) as minute, m.succeeded, m.failed, m.latency
  from minutes m, (values (1), (15), (120)) w (width), lateral (values (m.experience_id), ('')) e (experience_id)
  where (w.width, e.experience_id) <> (1, m.experience_id)
), totals as (
  select width, experience_id, minute, sum(succeeded) as succeeded, sum(failed) as failed from wide group by 1, 2, 3
), scales as (
  select width, experience_id, minute, jsonb_object_agg(step, n) as latency
  from (select width, experience_id, minute, key as step, sum(value::int) as n from wide, jsonb_each_text(latency) group by 1, 2, 3, 4) steps group by 1, 2, 3
)
insert into minutes (width, experience_id, minute, succeeded, failed, latency)
select width, experience_id, minute, succeeded, failed, coalesce(latency, '{}') from totals left join scales using (width, experience_id, minute);
