-- The wall of an experience: what is on it, and the keys that open it.

alter table keepsakes add column wall_state text not null default 'waiting' check (wall_state in ('waiting', 'approved', 'hidden'));
comment on column keepsakes.wall_state is 'waiting: some of its files were not approved yet. hidden: none is on the wall, nor will be one that comes later.';
create index keepsakes_wall on keepsakes (wall_state, created_at desc, keepsake_id desc);
create index keepsakes_experience_wall on keepsakes (experience_id, wall_state, created_at desc, keepsake_id desc);

alter table keepsake_files
  add column experience_id text,
  add column accepted_at timestamptz not null default now(),
  add column wall_state text not null default 'waiting' check (wall_state in ('waiting', 'approved', 'hidden'));
comment on column keepsake_files.wall_state is 'Somebody approves what is there to be seen: a file that is made later waits on its own.';
update keepsake_files f set experience_id = k.experience_id, accepted_at = k.used_at from keepsakes k where k.keepsake_id = f.keepsake_id;
alter table keepsake_files alter column experience_id set not null;
create index keepsake_files_wall on keepsake_files (experience_id, accepted_at desc, chain_id) where wall_state <> 'hidden';
create index keepsake_files_approved on keepsake_files (experience_id, accepted_at desc, chain_id) where wall_state = 'approved';

create table wall_keys (
  key_id uuid primary key,
  experience_id text not null references experiences on delete cascade,
  key_hash bytea not null unique,
  name text,
  created_at timestamptz not null
);
comment on column wall_keys.key_hash is 'The digest of the key: whoever shows the key sees the wall.';
create index wall_keys_experience on wall_keys (experience_id);

-- Whatever takes something off a wall tells all walls at once, whoever wrote it.
create function tell_wall() returns trigger language plpgsql as $$
begin
  perform pg_notify('keepsake_wall', coalesce(case when TG_OP = 'DELETE' then to_jsonb(old) else to_jsonb(new) end ->> 'experience_id', ''));
  return null;
end $$;
comment on function tell_wall is 'Notifies the walls of the experience of the row; without one, all walls.';

create function tell_all_walls() returns trigger language plpgsql as $$
begin
  perform pg_notify('keepsake_wall', '');
  return null;
end $$;
comment on function tell_all_walls is 'A guest may be in pictures of several experiences.';

create trigger keepsakes_wall after update of wall_state, consent on keepsakes for each row
  when (old.wall_state <> new.wall_state or old.consent ->> 'wall' is distinct from new.consent ->> 'wall') execute function tell_wall();
create trigger keepsakes_gone after delete on keepsakes for each row execute function tell_wall();
create trigger keepsake_files_wall after update of wall_state on keepsake_files for each row
  when (old.wall_state <> new.wall_state) execute function tell_wall();
create trigger tasks_wall after update of consent, files_deleted_at on tasks for each row
  when (new.keepsake_id is not null and (old.files_deleted_at is distinct from new.files_deleted_at or old.consent ->> 'wall' is distinct from new.consent ->> 'wall'))
  execute function tell_wall();
create trigger profiles_wall after update of consent on profiles for each row
  when (old.consent ->> 'wall' is distinct from new.consent ->> 'wall') execute function tell_all_walls();
create trigger experiences_wall after update of guest_page, retention_days, name on experiences for each row
  when (old.guest_page::text is distinct from new.guest_page::text or old.retention_days is distinct from new.retention_days or old.name is distinct from new.name)
  execute function tell_wall();
create trigger wall_keys_gone after delete on wall_keys for each row execute function tell_wall();
