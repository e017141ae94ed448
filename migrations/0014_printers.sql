-- What printers have used of their rolls, and which deliveries are counted there.

create table printers (
  printer text primary key,
  roll integer not null default 0,
  used integer not null default 0,
  is_empty boolean not null default false,
  taken_at timestamptz,
  changed_at timestamptz not null
);
comment on table printers is 'One row for each address that print_ipp has printed at.';
comment on column printers.roll is 'Grows with every change of the roll.';
comment on column printers.used is 'Prints that were counted since the last change, those on their way included.';
comment on column printers.is_empty is 'The printer has said that it has no paper. When it has some again, its roll was changed.';
comment on column printers.taken_at is 'When a delivery last chose it. The printer that was chosen longest ago has its turn.';

create table prints (
  marker text primary key,
  printer text not null,
  roll integer not null,
  copies integer not null
);
comment on table prints is 'Deliveries that are counted in printers.used and have not ended. The marker keeps an attempt from counting twice.';
create index prints_printer on prints (printer);
