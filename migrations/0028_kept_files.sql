-- beside: 0025_merged_profiles.sql
-- Files of keepsakes stay as long as the guest page does. The sweep finds those that are due without passing those that stay: each kind has
-- an index of its own.

drop index tasks_files;
create index tasks_files on tasks (experience_id, ended_at)
  where keepsake_id is null and files_deleted_at is null and ended_at is not null;
create index tasks_keepsake_files on tasks (experience_id, ended_at)
  where keepsake_id is not null and files_deleted_at is null and ended_at is not null;
