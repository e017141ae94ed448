-- How long the oldest job of a lane has waited is read from an index: ids of jobs are made in the order of time.
drop index tasks_waiting;
create index tasks_waiting on tasks (lane, job_id) where status = 'Waiting';

alter table tasks add column traceparent text;
comment on column tasks.traceparent is 'The span that the task was accepted in, as W3C writes it. Null: it is not traced.';
