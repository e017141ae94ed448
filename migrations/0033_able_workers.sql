-- beside: 0025_merged_profiles.sql
-- A worker says what it can run and what it lacks, so that work goes to one that has what it needs.

alter table workers add column able json;
comment on column workers.able is 'What it can run (has), why it cannot run the rest (lacks, by name), and what it cannot do at all (off); null of an earlier version.';
