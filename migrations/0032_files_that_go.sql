-- beside: 0031_asks_since.sql
-- Files are deleted outside of transactions: the mark keeps their rows from getting an owner meanwhile.

alter table uploads add column going_since timestamptz;
comment on column uploads.going_since is 'Since when its file is being deleted, and nobody can own it any more; null: it may still get an owner.';
