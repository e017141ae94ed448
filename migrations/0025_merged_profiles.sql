-- Two profiles of one person become one: the id of the one that is gone still finds the person.

create table profile_aliases (
  profile_id uuid primary key,
  kept_id uuid not null references profiles on delete cascade,
  created_at timestamptz not null default now()
);
comment on table profile_aliases is 'Ids of profiles that were merged into another. Requests and keepsakes may still name them.';
comment on column profile_aliases.kept_id is 'The profile that has all of it now. An alias never leads to an alias.';
create index profile_aliases_kept on profile_aliases (kept_id);
