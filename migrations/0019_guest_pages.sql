-- The pages of guests: codes to pass on, smaller pictures that are stored, and tries to see a whole visit.

alter table keepsakes
  add column share_hash bytea unique,
  add column visit_hash bytea unique;
comment on column keepsakes.share_hash is 'The digest of the code that a guest passes on. Made of the code itself, when the page is first shown. It can’t erase.';
comment on column keepsakes.visit_hash is 'The same for the links among all keepsakes of a visit.';

create table renditions (
  source text not null,
  side integer not null,
  task_id uuid not null references tasks on delete cascade,
  blob text not null unique,
  mime text not null,
  primary key (source, side)
);
comment on table renditions is 'Pictures for screens, made of the output of a task when somebody first looks at it. Deleted with it.';
comment on column renditions.source is 'The blob of the output.';
comment on column renditions.side is 'Most pixels of the longer side.';
create index renditions_task on renditions (task_id);

create table visit_tries (
  keepsake_id uuid primary key references keepsakes on delete cascade,
  tried_at timestamptz[] not null
);
comment on table visit_tries is 'When somebody last said whose visit a keepsake belongs to: at most five times an hour.';
