-- Callbacks say what they tell of, and carry headers of the receiver's own.

alter table callbacks add column event text not null default 'task' check (event in ('task', 'taskgroup'));
comment on column callbacks.event is 'What the callback tells of: the header keepsake-event.';
-- Of a task that is gone only the body tells: that of a group begins with its status.
update callbacks set event = 'taskgroup' where body like '{"status":%';

alter table experiences add column webhook_headers bytea;
comment on column experiences.webhook_headers is 'Sealed JSON: [{origin, headers}], sent with callbacks to exactly that origin. Null: none.';
