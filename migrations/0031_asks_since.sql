-- beside: 0025_merged_profiles.sql
-- An entry waits a day for the word of its guests, from the moment on at which it first asks for it and not from the start of its task.

alter table entries add column asks_since timestamptz;
comment on column entries.asks_since is 'When it first waited for its guests to agree, in this run; null where it did not.';

update entries e set asks_since = t.started_at from chains c join tasks t using (task_id)
where c.chain_id = e.chain_id and e.status = 'Waiting' and e.error ->> 'code' = 'needs_consent';
