-- Which process a worker is, so that others on its machine can tell at once that it is no more.
alter table workers add column mark text;
comment on column workers.mark is 'Machine, pid and start of its process.';

-- An attempt at a callback whose answer was lost is written twice, and shall be listed once.
delete from callback_attempts a using callback_attempts b
  where a.callback_id = b.callback_id and a.at = b.at and a.ctid > b.ctid;
drop index callback_attempts_callback;
create unique index callback_attempts_callback on callback_attempts (callback_id, at);
