-- What went wrong in a task, attempt by attempt: a retry, a rescue or a cancel clears it from its entries, but not from here.
-- The same failure in a row is one row that counts; a task has a bounded number of rows.
create table task_failures (
  failure_id uuid primary key,
  task_id uuid not null references tasks on delete cascade,
  run int not null,
  chain_id uuid not null,
  index int not null,
  outcome text not null check (outcome in ('Deferred', 'Failed', 'Cancelled')),
  attempt int not null,
  code text not null,
  message text not null,
  times int not null default 1,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now()
);
create index task_failures_of_task on task_failures (task_id, failure_id);
