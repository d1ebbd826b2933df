-- breaking: no
create table inbox_items (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  title text not null constraint inbox_items__title_check check (length(title) <= 500),
  body text not null constraint inbox_items__body_check check (length(body) <= 1000),
  link text,
  category text not null,
  template text not null,
  created_at timestamptz not null,
  seen_at timestamptz,
  read_at timestamptz,
  archived_at timestamptz,
  constraint inbox_items__pkey primary key (tenant_id, id),
  constraint inbox_items__recipient_fkey
    foreign key (tenant_id, user_id) references recipients (tenant_id, id) on update cascade on delete cascade
);
create index inbox_items__of_user on inbox_items (tenant_id, user_id, created_at desc, id desc);
create index inbox_items__created on inbox_items (created_at);
comment on table inbox_items is 'What people find in their inbox: at most 500 per person, for 180 days.';
comment on column inbox_items.id is 'The id of the delivery, so that a repeated delivery adds nothing.';
grant select, insert, update, delete on inbox_items to lango_app;
grant select on inbox_items to lango_platform;
grant select, delete on inbox_items to lango_lookup;
alter table inbox_items enable row level security;
alter table inbox_items force row level security;
create policy inbox_items__tenant on inbox_items using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy inbox_items__platform on inbox_items for select to lango_platform using (true);
create policy inbox_items__lookup on inbox_items to lango_lookup using (true);

-- Removes items of every inbox that are too old, at most p_max. Returns their number.
create function purge_inbox(p_before timestamptz, p_max integer)
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_items integer;
begin
  delete from inbox_items where created_at < p_before and ctid = any (array(
    select i.ctid from inbox_items i where i.created_at < p_before limit p_max));
  get diagnostics v_items = row_count;
  return v_items;
end
$$;
alter function purge_inbox(timestamptz, integer) owner to lango_lookup;
revoke execute on function purge_inbox(timestamptz, integer) from public;
grant execute on function purge_inbox(timestamptz, integer) to lango_app;

-- Items of people who are known under both ids follow the person.
create or replace function prepare_merge_of_people(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  delete from tenant_branding f using tenant_branding d where d.tenant_id = p_to and f.tenant_id = p_from;
  delete from contact_points f using contact_points d
   where d.tenant_id = p_to and f.tenant_id = p_from
     and (d.user_id, d.channel, d.address_key) = (f.user_id, f.channel, f.address_key);
  update contact_points c set tenant_id = p_to
   where c.tenant_id = p_from and exists (select from recipients d where d.tenant_id = p_to and d.id = c.user_id);
  update inbox_items i set tenant_id = p_to
   where i.tenant_id = p_from and exists (select from recipients d where d.tenant_id = p_to and d.id = i.user_id);
  delete from recipients f using recipients d where d.tenant_id = p_to and f.tenant_id = p_from and d.id = f.id;
  delete from preferences f using preferences d
   where d.tenant_id = p_to and f.tenant_id = p_from
     and (d.user_id, d.category, d.channel) is not distinct from (f.user_id, f.category, f.channel);
$$;
