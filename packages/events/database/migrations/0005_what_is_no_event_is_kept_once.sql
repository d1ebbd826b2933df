-- breaking: no
comment on column deliveries.event_id is 'Of what is no event an id made of its place in the stream, so that it is kept once; null when it came before there were such.';
