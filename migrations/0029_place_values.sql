-- beside: 0025_merged_profiles.sql
-- A delivery keeps its place over all attempts, also where the place is made of what is known of a guest and that changes meanwhile.

alter table entries add column place_values json;
comment on column entries.place_values is
  'What the placeholders of the guests stood for in the place of a delivery when its first attempt began; null where it uses none.';
