-- beside: 0025_merged_profiles.sql
-- The number of a tag is compared by its digits: readers write it with and without separators, and in either case. Values and keys stay as
-- they were written, so processes from before find by them as ever.

create function lookup_same(kind text, key text) returns text language sql immutable parallel safe
return case
  when kind = 'rfid' and key ~ '^[0-9A-Fa-f]{2}([: -]?[0-9A-Fa-f]{2})*$' then '0x' || lower(translate(key, ': -', ''))
  else key
end;
comment on function lookup_same is 'The same text for all keys of one value.';

create index profile_lookups_same on profile_lookups (kind, lookup_same(kind, key), experience_id);
create index lookups_same on lookups (kind, lookup_same(kind, key));
create index waiting_guests_same on waiting_guests (kind, lookup_same(kind, key));
create index keepsake_lookups_same on keepsake_lookups (kind, lookup_same(kind, key));
create index consent_waits_same on consent_waits (kind, lookup_same(kind, key));
create index profile_lookups_tag_search on profile_lookups using gin (search_grams(experience_id, lookup_same(kind, key)))
  with (gin_pending_list_limit = 256) where kind = 'rfid';

create function lookup_is_shared(profile uuid, experience text, kind text, key text) returns boolean language sql stable parallel safe
return lookup_is_shared.kind = 'rfid' and exists (
  select from profile_lookups o
  where o.kind = lookup_is_shared.kind and lookup_same(o.kind, o.key) = lookup_same(lookup_is_shared.kind, lookup_is_shared.key)
    and o.experience_id is not distinct from experience and o.profile_id <> profile
);
comment on function lookup_is_shared is 'Whether another profile of the experience has the same value in another spelling: each is then found by its own spelling alone.';

create table lookup_twins (profile_id uuid primary key references profiles on delete cascade);
comment on table lookup_twins is 'Profiles that shared a value with another one when spellings began to be the same. Some may share none any more.';
insert into lookup_twins
select distinct profile_id from profile_lookups where lookup_is_shared(profile_id, experience_id, kind, key);
