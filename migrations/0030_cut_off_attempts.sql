-- beside: 0025_merged_profiles.sql
-- An attempt that ended with its worker was made, and may have arrived; only against the attempts that an entry has it does not count.

alter table entries add column cut_off int not null default 0;
comment on column entries.cut_off is 'How many of its attempts were cut off because their worker stopped or died.';
