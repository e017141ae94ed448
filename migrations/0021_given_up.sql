-- The overview lists the newest callbacks that were given up, also of one experience.
create index callbacks_given_up_newest on callbacks (experience_id, created_at desc) where status = 'GivenUp';
drop index callbacks_given_up;
