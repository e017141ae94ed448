-- Who works on a task is known by a random claim, and how often a delivery was begun with other bytes or options by its generation.

-- A number that is counted up can be handed out twice: after a crash PostgreSQL may have forgotten that it was. Dropping the old one
-- also shuts out a worker of an earlier version that still runs.
alter table tasks drop column lease;
alter table tasks add column claim uuid;
comment on column tasks.claim is 'Names one claim of the task, at random. Whoever writes for the task must know it. Null: nobody works on it.';
alter table tasks add column rescues integer not null default 0;
comment on column tasks.rescues is 'How often in this run its worker died. It says nothing of its files: only makes the next take-over come later.';

alter table entries add column generation integer not null default 0;
comment on column entries.generation is 'Grows when a retry brings other bytes or options: part of the marker that deliveries carry, so that a target takes it for a new one.';
