-- breaking: no
-- What was published stays as it was published; what a plan charges beyond its limits; versions that are no longer on offer.

alter table plan_versions add column overage jsonb not null default '{}';
alter table plan_versions add constraint plan_versions__overage_object check (jsonb_typeof(overage) = 'object');
comment on column plan_versions.overage is
  'Metric to {"unit_price_minor", "cap"}: the price of one unit beyond the limit, and how many are sold at most; absent: none are';

create table plan_version_retirements (
  plan_version_id uuid not null,
  retired_at timestamptz not null,
  constraint plan_version_retirements__pkey primary key (plan_version_id),
  constraint plan_version_retirements__plan_version_fkey foreign key (plan_version_id) references plan_versions (id)
);
comment on table plan_version_retirements is 'Versions that are no longer on offer; who has one keeps it. A plan is on offer in the newest version that is left';

create function refuse_change() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  raise exception 'a published version is never changed: % on % refused', tg_op, tg_table_name using errcode = 'restrict_violation';
end $$;

create trigger plan_versions__immutable before update or delete on plan_versions for each row execute function refuse_change();
create trigger plan_versions__kept before truncate on plan_versions for each statement execute function refuse_change();
create trigger add_on_versions__immutable before update or delete on add_on_versions for each row execute function refuse_change();
create trigger add_on_versions__kept before truncate on add_on_versions for each statement execute function refuse_change();

grant select, insert on plan_version_retirements to lango_app;
grant select on plan_version_retirements to lango_platform;
