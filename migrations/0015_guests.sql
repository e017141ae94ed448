-- Guests: a keepsake is what one code opens. Its page is there before the media is.

alter table experiences add column guest_page json;
comment on column experiences.guest_page is 'Settings of the pages that guests see. Null: none were made, and there is no page.';

create table keepsakes (
  keepsake_id uuid primary key,
  experience_id text not null references experiences,
  code_hash bytea not null unique,
  code bytea not null,
  used_at timestamptz not null,
  created_at timestamptz not null
);
comment on column keepsakes.code_hash is 'The digest of the code: whoever shows the code is let in.';
comment on column keepsakes.code is 'The code itself, sealed, for the links that tasks print and send.';
comment on column keepsakes.used_at is 'When it was reserved or a task last took it: its time begins then.';
create index keepsakes_newest on keepsakes (created_at desc, keepsake_id desc);
create index keepsakes_experience on keepsakes (experience_id, created_at desc, keepsake_id desc);

create index keepsakes_used on keepsakes (used_at);

alter table tasks add column keepsake_id uuid references keepsakes;
create index tasks_keepsake on tasks (keepsake_id) where keepsake_id is not null;

create table keepsake_files (
  keepsake_id uuid not null references keepsakes on delete cascade,
  number integer not null,
  chain_id uuid not null unique,
  primary key (keepsake_id, number)
);
comment on table keepsake_files is 'The number of the file that each configuration of a task makes, counted in the order of acceptance. Numbers stay when their task is gone.';
