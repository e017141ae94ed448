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

-- Tasks are listed by what went wrong, and those that can be run again by experience and configuration.
create table task_errors (
  task_id uuid not null references tasks on delete cascade,
  code text not null,
  is_group boolean not null,
  experience_id text not null,
  created_at timestamptz not null,
  primary key (task_id, code)
);
comment on table task_errors is 'The codes of the errors that entries of a task ended with, in its last run. The other columns are those of the task.';
insert into task_errors (task_id, code, is_group, experience_id, created_at)
  select distinct t.task_id, e.error ->> 'code', t.is_group, t.experience_id, t.created_at
  from entries e join chains c using (chain_id) join tasks t using (task_id)
  where t.ended_at is not null and e.status in ('Failed', 'Cancelled') and e.error ->> 'code' is not null;
create index task_errors_code on task_errors (code, is_group, created_at desc, task_id desc);
create index task_errors_experience on task_errors (code, experience_id, is_group, created_at desc, task_id desc);
create index tasks_unsuccessful_experience on tasks (experience_id, is_group) where status in ('Failed', 'Cancelled');
create index callbacks_given_up on callbacks (experience_id) where status = 'GivenUp';
create index tasks_unsuccessful_configuration on tasks (configuration, is_group) where status in ('Failed', 'Cancelled');

-- Search. A text is found by its pieces of two and three characters, kept in indexes that come with PostgreSQL itself: pg_trgm is not
-- installed everywhere, and knows no pieces of two. The experience is a piece, too: what others have is not looked at.
-- Bodies are bound when they are made, so they do not depend on a search path.
do $$
declare
  folded text := 'lower(t)';
begin
  -- In the locale C only the letters of ASCII have cases; ICU knows the others.
  if lower('Ä') <> 'ä' and exists (select from pg_collation where collname = 'und-x-icu' and collencoding in (-1, pg_char_to_encoding(getdatabaseencoding()))) then
    folded := 'lower(t collate "und-x-icu")';
  end if;
  if getdatabaseencoding() = 'UTF8' then
    folded := replace(folded, '(t', '(normalize(t, nfc)');
  end if;
  execute 'create function search_fold(t text) returns text language sql immutable parallel safe return ' || folded;
end $$;
comment on function search_fold is 'A text as it is compared in a search: without regard to case.';

create function search_grams(experience text, t text) returns text[] language sql immutable parallel safe
return array['experience ' || coalesce(experience, '')] || coalesce((
  select array_agg(distinct gram) from (
    select c || lead(c) over line as two, c || lead(c) over line || lead(c, 2) over line as three
    from unnest(string_to_array(search_fold(left(t, 4000)), null)) with ordinality u (c, n) window line as (order by n)
  ) pieces, lateral (values (two), (three)) g (gram) where gram is not null
), '{}');
comment on function search_grams is 'The pieces of a text that can be searched for.';

create function search_terms(experience text, t text) returns text[] language sql immutable parallel safe
return case when experience is null then '{}' else array['experience ' || experience] end || coalesce((
  select array_agg(distinct case when length(search_fold(t)) = 2 then two else three end) filter (where case when length(search_fold(t)) = 2 then two else three end is not null)
  from (
    select c || lead(c) over line as two, c || lead(c) over line || lead(c, 2) over line as three
    from unnest(string_to_array(search_fold(t), null)) with ordinality u (c, n) window line as (order by n)
  ) pieces
), '{}');
comment on function search_terms is 'The pieces that a text must have to hold the one that is looked for.';

-- Not for parallel workers: they can't go on after an error.
create function search_texts(j json) returns text language plpgsql immutable as $$
begin
  return (select string_agg(v #>> '{}', e'\n') from jsonb_path_query(j::jsonb, 'strict $.** ? (@.type() == "string")') v);
exception when others then
  return null; -- what jsonb cannot hold is not searched
end $$;
comment on function search_texts is 'All texts in a value, one a line.';

create index profile_lookups_search on profile_lookups using gin (search_grams(experience_id, value)) with (gin_pending_list_limit = 256);
create index profiles_search on profiles using gin (search_grams(experience_id, search_texts(attributes))) with (gin_pending_list_limit = 256);
create index configurations_search on configurations using gin (search_grams(experience_id, configuration_name)) with (gin_pending_list_limit = 256);
create index assets_search on assets using gin (search_grams(experience_id, name)) with (gin_pending_list_limit = 256);

-- Tasks and groups are found by the start of their id, and of the name of a file that was sent in.
create index tasks_id on tasks (is_group, task_id);
create index tasks_experience_id on tasks (experience_id, is_group, task_id);
alter table chains add column file_name text collate "C", add column file_is_group boolean, add column file_experience_id text;
comment on column chains.file_name is 'The name of the file that was sent in, as it is searched for; null if it had none.';
comment on column chains.file_is_group is 'As its task has it; null without a file name.';
comment on column chains.file_experience_id is 'The same.';
create index chains_file on chains (file_is_group, file_name, task_id) where file_name is not null;
create index chains_file_experience on chains (file_experience_id, file_is_group, file_name, task_id) where file_name is not null;
