-- Which experience has a place below a folder that local_file shares between experiences.

create table local_places (
  place bytea primary key,
  experience_id text not null
);
comment on table local_places is 'Places that were delivered to by local_file: the first experience to do so has the place. Never taken away, so that no two ever write there.';
comment on column local_places.place is 'SHA-256 of the path below the root, A to Z as a to z. A digest, since names may hold what guests are known by.';

-- What was delivered before: the file that lies there now is that of the last delivery.
insert into local_places (place, experience_id)
select distinct on (place) place, experience_id
from (
  select
    sha256(convert_to(lower(trim(both '/' from
      regexp_replace('/' || (e.result ->> 'folder') || '/' || (e.result ->> 'file_key'), '/(\.?/)+', '/', 'g')
    ) collate "C"), 'UTF8')) as place,
    t.experience_id,
    e.ended_at
  from entries e join chains c using (chain_id) join tasks t using (task_id)
  where e.adapter_name = 'local_file' and e.status = 'Succeeded'
    and e.result ->> 'folder' is not null and e.result ->> 'file_key' is not null
) delivered
order by place, ended_at desc nulls last, experience_id;
