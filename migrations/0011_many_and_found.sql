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
