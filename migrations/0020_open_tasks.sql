-- Open tasks in the order of their ids, whoever works on them: an erasure reads them page by page.
-- It also serves the statements that looked for open tasks without a worker.
drop index tasks_unclaimed;
create index tasks_open_id on tasks (task_id) where status in ('Waiting', 'Running');
