-- breaking: no
alter table providers add column bulk_paced_at timestamptz;
comment on column providers.paced_at is 'Until when its pace is used up, by the database''s clock: calls are taken in batches.';
comment on column providers.bulk_paced_at is 'Until when the 80 % of its pace that bulk messages may have are used up.';

-- Takes calls to a provider from its pace: at most those that begin within 100 ms, and for bulk messages at most 80 % of the pace.
-- A call may begin up to 100 ms late, so the calls are 10 % further apart than the pace: no second has more calls than the pace
-- allows, whatever the processes and their clocks. Returns no row if the provider does not exist.
create function take_provider_pace(p_id uuid, p_others integer, p_bulk integer)
returns table (starts_in_ms double precision, spacing_ms double precision, granted integer, granted_bulk integer,
  bulk_in_ms double precision)
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_provider record;
  v_now timestamptz;
  v_spacing double precision;
  v_start double precision;
  v_bulk_start double precision;
  v_room integer;
  v_others integer;
  v_bulk integer;
begin
  select p.per_second, p.paced_at, p.bulk_paced_at into v_provider from providers p where p.id = p_id for update;
  if not found then return; end if;
  v_now := clock_timestamp();
  v_spacing := 1100.0 / v_provider.per_second;
  v_start := greatest(coalesce(extract(epoch from v_provider.paced_at - v_now) * 1000, 0), 0);
  v_bulk_start := greatest(coalesce(extract(epoch from v_provider.bulk_paced_at - v_now) * 1000, 0), 0);
  v_room := case when v_start < 100 then floor((100 - v_start) / v_spacing) + 1 else 0 end;
  v_others := least(p_others, v_room);
  v_bulk := least(p_bulk, v_room - v_others,
    case when v_bulk_start < 100 then floor((100 - v_bulk_start) * 0.8 / v_spacing)::integer + 1 else 0 end);
  v_bulk_start := v_bulk_start + v_bulk * v_spacing / 0.8;
  if v_others + v_bulk > 0 then
    update providers p
       set paced_at = v_now + (v_start + (v_others + v_bulk) * v_spacing) * interval '1 millisecond',
           bulk_paced_at = case when v_bulk > 0 then v_now + v_bulk_start * interval '1 millisecond' else p.bulk_paced_at end
     where p.id = p_id;
  end if;
  return query select v_start, v_spacing, v_others, v_bulk, v_bulk_start;
end
$$;
alter function take_provider_pace(uuid, integer, integer) owner to lango_lookup;
revoke execute on function take_provider_pace(uuid, integer, integer) from public;
grant execute on function take_provider_pace(uuid, integer, integer) to lango_app;
