-- What a request says of how it is run.

alter table tasks add column on_failure text not null default 'stop' check (on_failure in ('stop', 'continue'));
comment on column tasks.on_failure is 'Of a group: whether configurations that take nothing from a failed one still run.';
