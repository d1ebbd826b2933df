-- breaking: no

-- Gateways: profiles, credentials, tokens, and the shortcodes of tenants

create table gateway_profiles (
  id uuid not null default gen_random_uuid() constraint gateway_profiles__pkey primary key,
  kind text not null constraint gateway_profiles__kind_check check (kind in ('mobile_money', 'card_gateway')),
  environment text not null
    constraint gateway_profiles__environment_check check (environment in ('sandbox', 'production')),
  base_url text,
  certificate text,
  settings jsonb not null default '{}',
  version bigint not null default 1,
  updated_at timestamptz not null,
  constraint gateway_profiles__kind_unique unique (kind)
);
comment on table gateway_profiles is 'The configuration of each gateway. Of the platform.';
comment on column gateway_profiles.base_url is 'Null: the gateway is not configured.';
comment on column gateway_profiles.certificate is 'PEM: it encrypts the passwords of initiators.';
comment on column gateway_profiles.settings is 'What differs from the defaults: limits, fees, codes of frequencies, capabilities, addresses of senders.';

create table gateway_credentials (
  id uuid not null constraint gateway_credentials__pkey primary key,
  tenant_id uuid constraint gateway_credentials__tenant_fkey references tenants (id) on update cascade,
  profile_id uuid not null constraint gateway_credentials__profile_fkey references gateway_profiles (id),
  dek_key_id text not null,
  dek_sealed bytea not null,
  sealed bytea not null,
  shown jsonb not null,
  set_at timestamptz not null,
  retires_at timestamptz
);
create unique index gateway_credentials__current on gateway_credentials (profile_id, tenant_id) nulls not distinct
  where retires_at is null;
create index gateway_credentials__tenant on gateway_credentials (tenant_id, profile_id);
create index gateway_credentials__key on gateway_credentials (dek_key_id);
comment on table gateway_credentials is 'Secrets of gateways. The one without an end is used for calls; the others verify webhooks until they end.';
comment on column gateway_credentials.tenant_id is 'Null: the platform''s, visible outside of a tenant only.';
comment on column gateway_credentials.dek_sealed is 'The key that encrypts the secrets, encrypted with a key-encryption key.';
comment on column gateway_credentials.shown is 'Of each secret, when it was set and its last four characters.';

create table gateway_tokens (
  credential_id uuid not null constraint gateway_tokens__pkey primary key
    constraint gateway_tokens__credential_fkey references gateway_credentials (id) on delete cascade,
  tenant_id uuid constraint gateway_tokens__tenant_fkey references tenants (id) on update cascade,
  key_id text,
  sealed bytea,
  expires_at timestamptz not null,
  generation integer not null,
  renewing_until timestamptz
);
create index gateway_tokens__tenant on gateway_tokens (tenant_id);
comment on table gateway_tokens is 'The access token of a credential, one for all processes: a new one invalidates the one before.';
comment on column gateway_tokens.generation is 'Increases with every token. A call whose token was refused reads the row again by it.';
comment on column gateway_tokens.renewing_until is 'The lease of the process that renews it.';

create table tenant_gateways (
  tenant_id uuid not null constraint tenant_gateways__pkey primary key
    constraint tenant_gateways__tenant_fkey references tenants (id) on update cascade,
  mobile_money_shortcode text
    constraint tenant_gateways__shortcode_check check (mobile_money_shortcode ~ '^\d{5,10}$'),
  shortcode_kind text constraint tenant_gateways__kind_check check (shortcode_kind in ('paybill', 'till')),
  initiator_name text,
  account_ref text constraint tenant_gateways__account_check check (length(account_ref) between 1 and 12),
  payout_config jsonb not null default '{}',
  unknown_accounts text not null default 'accept'
    constraint tenant_gateways__unknown_check check (unknown_accounts in ('accept', 'reject')),
  refund_excess boolean not null default false,
  verified_at timestamptz,
  urls_registered_at timestamptz,
  version bigint not null default 1,
  updated_at timestamptz not null,
  constraint tenant_gateways__pair_check check ((mobile_money_shortcode is null) = (shortcode_kind is null))
);
comment on table tenant_gateways is 'The shortcode and the payout configuration of a tenant. That no other tenant has the shortcode is what locators say.';
comment on column tenant_gateways.account_ref is 'Stands as the account where no intent gives one.';
comment on column tenant_gateways.verified_at is 'When the balance of the shortcode was read with the tenant''s own initiator; needed in production.';

alter table gateway_credentials enable row level security;
alter table gateway_credentials force row level security;
create policy gateway_credentials__tenant on gateway_credentials
  using (tenant_id is not distinct from nullif(current_setting('app.tenant_id', true), '')::uuid);
alter table gateway_tokens enable row level security;
alter table gateway_tokens force row level security;
create policy gateway_tokens__tenant on gateway_tokens
  using (tenant_id is not distinct from nullif(current_setting('app.tenant_id', true), '')::uuid);
alter table tenant_gateways enable row level security;
alter table tenant_gateways force row level security;
create policy tenant_gateways__tenant on tenant_gateways
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy tenant_gateways__platform on tenant_gateways for select to lango_platform using (true);

grant select, insert, update on gateway_profiles, gateway_credentials, gateway_tokens, tenant_gateways to lango_app;
grant select on gateway_profiles, tenant_gateways to lango_platform;

-- Before two ids of the tenant are merged (decision 0045): of two shortcodes the one changed later stays, with its secrets. The other one
-- keeps its locator, so that what is paid to it is still found.
create function prepare_merge_of_gateways(p_from uuid, p_to uuid)
returns void
language plpgsql
set search_path = public, pg_temp
as $$
declare
  v_lost uuid;
begin
  select case when f.updated_at > t.updated_at then p_to else p_from end into v_lost
    from tenant_gateways f, tenant_gateways t where f.tenant_id = p_from and t.tenant_id = p_to;
  delete from gateway_credentials where tenant_id = v_lost;
  delete from tenant_gateways where tenant_id = v_lost;
end
$$;
revoke execute on function prepare_merge_of_gateways(uuid, uuid) from public;

-- Before two ids of a tenant are merged (decision 0045).
create or replace function prepare_merge(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  select prepare_merge_of_ledger(p_from, p_to);
  select prepare_merge_of_gateways(p_from, p_to);
$$;
