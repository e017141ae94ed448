-- What a token may use at most, who made it, and which token put a task into the queue.

alter table tokens add column limits json;
alter table tokens add column made_by uuid references tokens on delete cascade;
comment on column tokens.limits is 'requests_per_minute, waiting_tasks, upload_bytes_per_day, streams: those that were given; null: none.';
comment on column tokens.made_by is 'The token that made it, which takes it along when it is deleted. Null: made by the operator, or before this was kept.';
create index tokens_made_by on tokens (made_by) where made_by is not null;

alter table tasks add column token_id uuid;
comment on column tasks.token_id is 'The token that created the task or ran it again last. Null: the operator''s own, or a task of before this was kept.';
create index tasks_waiting_of_token on tasks (token_id) where status = 'Waiting' and token_id is not null;

create table token_use (
  token_id uuid not null,
  what text not null check (what in ('requests', 'upload_bytes')),
  since timestamptz not null,
  amount bigint not null,
  primary key (token_id, what)
);
comment on table token_use is 'What tokens with such a limit have used since their minute or day began. Rows of a while ago mean nothing and are swept.';
create index token_use_since on token_use (since);
