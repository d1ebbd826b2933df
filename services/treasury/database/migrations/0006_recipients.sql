-- breaking: no

-- Recipients of payouts

create table recipients (
  tenant_id uuid not null constraint recipients__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  type text not null constraint recipients__type_check check (type in ('bank', 'mobile_money')),
  name text not null constraint recipients__name_check check (length(name) between 1 and 100),
  bank_code text not null,
  bank_name text,
  masked_account text not null,
  currency text not null constraint recipients__currency_check check (currency ~ '^[A-Z]{3}$'),
  recipient_code text not null,
  account_key_id text not null,
  account_sealed bytea not null,
  account_fingerprint bytea not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  constraint recipients__pkey primary key (tenant_id, id)
);
create unique index recipients__active on recipients (tenant_id, account_fingerprint) where revoked_at is null;
create index recipients__newest on recipients (tenant_id, created_at desc, id desc);
create index recipients__key on recipients (account_key_id);
comment on table recipients is 'Accounts to which payouts go. An account never changes: a new recipient replaces it.';
comment on column recipients.account_sealed is 'The number of the account, encrypted.';
comment on column recipients.account_fingerprint is 'HMAC of the account: one active recipient each.';
comment on column recipients.recipient_code is 'The code of the recipient at the gateway.';

alter table recipients enable row level security;
alter table recipients force row level security;
create policy recipients__tenant on recipients
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy recipients__platform on recipients for select to lango_platform using (true);
grant select, insert, update on recipients to lango_app;
grant select (tenant_id, id, type, name, bank_code, bank_name, masked_account, currency, recipient_code, created_at, revoked_at)
  on recipients to lango_platform;
