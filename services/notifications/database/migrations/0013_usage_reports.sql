-- breaking: no
-- Reports e-mails, SMS segments and WhatsApp messages to the subscription service.

create table usage_reports (
  tenant_id uuid not null constraint usage_reports__tenant_fkey references tenants (id) on update cascade,
  id uuid not null default gen_random_uuid(),
  metric text not null,
  value bigint not null,
  at timestamptz not null,
  constraint usage_reports__pkey primary key (tenant_id, id)
);
comment on table usage_reports is 'Usage that the subscription service has not confirmed: it counts each id once.';

create table usage_positions (
  tenant_id uuid not null constraint usage_positions__pkey primary key
    constraint usage_positions__tenant_fkey references tenants (id) on update cascade,
  counted_until timestamptz not null
);
comment on table usage_positions is 'Until when the sent SMS segments and WhatsApp messages of a tenant are counted.';

alter table send_days add column reported integer not null default 0;
comment on column send_days.reported is 'How many of them were put into usage reports.';

alter table usage_reports enable row level security;
alter table usage_reports force row level security;
create policy usage_reports__tenant on usage_reports using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy usage_reports__platform on usage_reports for select to lango_platform using (true);

alter table usage_positions enable row level security;
alter table usage_positions force row level security;
create policy usage_positions__tenant on usage_positions using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy usage_positions__platform on usage_positions for select to lango_platform using (true);

grant select, insert, delete on usage_reports to lango_app;
grant select, insert, update on usage_positions to lango_app;
grant select on usage_reports, usage_positions to lango_platform;
grant select on usage_reports, usage_positions, send_days to lango_lookup;
create policy usage_reports__lookup on usage_reports for select to lango_lookup using (true);
create policy usage_positions__lookup on usage_positions for select to lango_lookup using (true);
create policy send_days__lookup on send_days for select to lango_lookup using (true);

-- The tenants with usage that is not reported: of e-mails by the day, of SMS and WhatsApp from p_from, or from where they are
-- counted, until p_until.
create function tenants_with_usage(p_from timestamptz, p_until timestamptz, p_after uuid, p_max integer)
returns table (tenant_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select t.id from tenants t left join usage_positions u on u.tenant_id = t.id
   where (p_after is null or t.id > p_after)
     and (exists (select from usage_reports r where r.tenant_id = t.id)
          or exists (select from send_days d
                      where d.tenant_id = t.id and d.reported <> d.used
                        and d.day between (p_from at time zone t.time_zone)::date and (p_until at time zone t.time_zone)::date)
          or exists (select from message_deliveries d
                      where d.tenant_id = t.id and d.channel in ('sms', 'whatsapp')
                        and d.sent_at >= greatest(u.counted_until, p_from) and d.sent_at < p_until))
   order by t.id limit p_max
$$;
alter function tenants_with_usage(timestamptz, timestamptz, uuid, integer) owner to lango_lookup;
revoke execute on function tenants_with_usage(timestamptz, timestamptz, uuid, integer) from public;
grant execute on function tenants_with_usage(timestamptz, timestamptz, uuid, integer) to lango_app;

-- Takes over the rows of an id of the tenant that is merged into another (decision 0045): e-mails of
-- a day and credit are added, buckets and lanes are joined.
create or replace function prepare_merge(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  select prepare_merge_of_people(p_from, p_to);
  select prepare_merge_of_triggers(p_from, p_to);
  update send_days d set used = d.used + f.used, reported = d.reported + f.reported from send_days f
   where d.tenant_id = p_to and f.tenant_id = p_from and f.day = d.day;
  delete from send_days f using send_days d where d.tenant_id = p_to and f.tenant_id = p_from and f.day = d.day;
  delete from channel_buckets f using channel_buckets d
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel;
  update lanes d set next_due_at = least(coalesce(d.next_due_at, f.next_due_at), coalesce(f.next_due_at, d.next_due_at)) from lanes f
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel and f.class = d.class;
  delete from lanes f using lanes d
   where d.tenant_id = p_to and f.tenant_id = p_from and f.channel = d.channel and f.class = d.class;
  update credit_balances d
     set balance = d.balance + f.balance, reserved = d.reserved + f.reserved, is_low = d.balance + f.balance < d.threshold
    from credit_balances f
   where d.tenant_id = p_to and f.tenant_id = p_from;
  delete from credit_balances f using credit_balances d where d.tenant_id = p_to and f.tenant_id = p_from;
$$;
