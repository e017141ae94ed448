-- What a request says of how it is run.

alter table tasks add column on_failure text not null default 'stop' check (on_failure in ('stop', 'continue'));
comment on column tasks.on_failure is 'Of a group: whether configurations that take nothing from a failed one still run.';

alter table chains add column files json not null default '{}';
comment on column chains.files is 'Files that came with the request in place of assets, by asset parameter; they are the task''s own.';
