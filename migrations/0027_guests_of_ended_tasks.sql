-- beside: 0025_merged_profiles.sql
-- Whom tasks named that ended before their guests were kept: who is known by such a value is a guest of the task, or becomes one with a
-- profile. A task that has a guest already is left as it is: its value may be somebody else's by now.

with named as (
  select distinct c.task_id, c.chain_id, t.experience_id, e.key as kind,
    case e.key when 'email' then lower(btrim(v.value, E' \t\r\n')) else v.value end as key
  from tasks t join chains c using (task_id)
  cross join lateral json_each(c.extras) e
  cross join lateral json_array_elements_text(
    case json_typeof(e.value) when 'array' then e.value else json_build_array(e.value) end) v
  where t.ended_at is not null and e.key in ('email', 'qr_code', 'rfid') and btrim(v.value, E' \t\r\n') <> ''
    and not exists (select from task_guests g where g.task_id = t.task_id)
), found as (
  select n.*, p.profile_id from named n left join lateral (
    select l.profile_id from profile_lookups l
    where l.kind = n.kind and l.key = n.key and (l.experience_id = n.experience_id or l.experience_id is null)
    order by l.experience_id nulls last limit 1
  ) p on true
), known as (
  insert into task_guests (profile_id, task_id)
  select distinct profile_id, task_id from found where profile_id is not null on conflict do nothing
)
insert into waiting_guests (task_id, chain_id, kind, key)
select task_id, chain_id, kind, key from found where profile_id is null on conflict do nothing;
