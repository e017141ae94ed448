-- Look-up values are unique within an experience and among profiles of none, no longer in the whole deployment.
-- A task knows whether a limited token had a hand in it. A profile that was erased in one experience may stay for another.

alter table profile_lookups add column experience_id text;
update profile_lookups l set experience_id = p.experience_id from profiles p where p.profile_id = l.profile_id;
alter table profile_lookups drop constraint profile_lookups_pkey;
alter table profile_lookups add primary key (profile_id, kind, key);
alter table profile_lookups add constraint profile_lookups_value unique nulls not distinct (kind, key, experience_id);
drop index profile_lookups_profile;
comment on column profile_lookups.experience_id is 'The same as that of the profile: a value is unique within it.';

alter table profiles add column erased_at timestamptz;
comment on column profiles.erased_at is 'Erased by a token that did not see all of it: the owner of what is left in other experiences. No lookup finds it.';

alter table tasks add column limited boolean not null default false;
comment on column tasks.limited is 'A token limited to experiences made it or ran it again: its placeholders get nothing of a profile that belongs to no experience.';
