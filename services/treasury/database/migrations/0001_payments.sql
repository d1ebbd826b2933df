-- breaking: no

-- Intents, attempts, receipts and payments

create table locators (
  kind text not null constraint locators__kind_check check (kind in
    ('account_code', 'pay_code', 'reference', 'checkout_request', 'receipt', 'callback_token', 'shortcode')),
  value text not null,
  tenant_id uuid not null constraint locators__tenant_fkey references tenants (id) on update cascade,
  object_id uuid not null,
  constraint locators__pkey primary key (kind, value)
);
create index locators__object on locators (tenant_id, object_id);
comment on table locators is 'Values by which an object is found before its tenant is known: they arrive from gateways and payers. Unique over all tenants.';
comment on column locators.value is 'Of pay codes and callback tokens their SHA-256 in hex. Of a receipt gateway:kind:receipt.';

create table intents (
  tenant_id uuid not null constraint intents__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  payee text not null constraint intents__payee_check check (payee in ('tenant', 'platform')),
  source_service text not null,
  operation_id uuid not null,
  operation_kind text,
  order_id text,
  description text not null,
  amount_minor bigint not null constraint intents__amount_check check (amount_minor between 1 and 1000000000000),
  currency text not null constraint intents__currency_check check (currency ~ '^[A-Z]{3}$'),
  received_minor bigint not null default 0 constraint intents__received_check check (received_minor >= 0),
  refunded_minor bigint not null default 0 constraint intents__refunded_check check (refunded_minor between 0 and received_minor),
  status text not null constraint intents__status_check check (status in
    ('requires_payment', 'processing', 'partially_paid', 'succeeded', 'expired', 'cancelled')),
  asked_attempt integer not null constraint intents__asked_attempt_check check (asked_attempt >= 1),
  asked_at timestamptz not null,
  account_code text not null constraint intents__account_code_check check (account_code ~ '^[0-9A-HJKMNP-TV-Z]{9}[0-9A-Z]$'),
  pay_code_hash bytea not null,
  pay_code_sealed bytea not null,
  pay_code_key_id text not null,
  channels text[] not null,
  customer_user_id uuid,
  customer jsonb not null,
  return_url text,
  metadata jsonb not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  version integer not null constraint intents__version_check check (version >= 1),
  created_by_kind text not null,
  created_by text not null,
  idempotency_key text,
  fingerprint bytea not null,
  created_at timestamptz not null,
  constraint intents__pkey primary key (tenant_id, id),
  constraint intents__operation_unique unique (tenant_id, operation_id, source_service),
  constraint intents__idempotency_unique unique (tenant_id, created_by_kind, created_by, idempotency_key),
  constraint intents__ended_check check ((ended_at is null) = (status in ('requires_payment', 'processing', 'partially_paid')))
);
create index intents__newest on intents (tenant_id, payee, id desc);
create index intents__open on intents (tenant_id, payee, asked_at) where ended_at is null;
create index intents__customer on intents (tenant_id, customer_user_id, id desc) where customer_user_id is not null;
create index intents__order on intents (tenant_id, order_id) where order_id is not null;
create index intents__expiry on intents (expires_at) where ended_at is null;
create index intents__key on intents (pay_code_key_id);
comment on table intents is 'What is to be paid, once.';
comment on column intents.payee is 'tenant: the tenant collects for its own trade. platform: the tenant pays Lango.';
comment on column intents.operation_id is 'The id of the asking service for what is paid; the id of the intent if it named none.';
comment on column intents.operation_kind is 'What the asking service asks for: checkout, change, renewal, overage, top_up; null for a request by REST.';
comment on column intents.asked_attempt is 'The attempt of the asking service that was received last; 1 for a request by REST. treasury.payment.failed answers it.';
comment on column intents.account_code is 'What a payer types as the account number at the shortcode: nine characters of Crockford base 32 and a check character.';
comment on column intents.pay_code_hash is 'SHA-256 of the code in the address of the page where anybody can pay it.';
comment on column intents.fingerprint is 'SHA-256 of the request. The same key or operation with another one is refused.';

create table attempts (
  tenant_id uuid not null,
  id uuid not null,
  intent_id uuid not null,
  seq integer not null constraint attempts__seq_check check (seq >= 1),
  amount_minor bigint not null constraint attempts__amount_check check (amount_minor > 0),
  channel text not null constraint attempts__channel_check check (channel in
    ('push', 'card', 'bank_transfer', 'mobile_money', 'ussd', 'checkout')),
  custody text not null constraint attempts__custody_check check (custody in ('tenant', 'platform')),
  shortcode text,
  status text not null constraint attempts__status_check check (status in
    ('new', 'submitting', 'awaiting', 'rejected', 'unknown', 'expired', 'failed', 'cancelled', 'succeeded')),
  rank smallint not null,
  reference text not null constraint attempts__reference_check check (reference ~ '^pay-[0-9a-f]{32}$'),
  phone text,
  merchant_request_id text,
  checkout_request_id text,
  access_code text,
  authorization_url text,
  failure_code text,
  submitted_at timestamptz,
  next_check_at timestamptz,
  checks integer not null default 0,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint attempts__pkey primary key (tenant_id, id),
  constraint attempts__intent_fkey foreign key (tenant_id, intent_id) references intents (tenant_id, id) on update cascade,
  constraint attempts__seq_unique unique (tenant_id, intent_id, seq),
  constraint attempts__reference_unique unique (tenant_id, reference),
  constraint attempts__checkout_request_unique unique (tenant_id, checkout_request_id)
);
create index attempts__due on attempts (next_check_at) where next_check_at is not null;
create index attempts__live on attempts (tenant_id, shortcode) where status in ('new', 'submitting', 'awaiting', 'unknown');
comment on table attempts is 'Tries to collect an intent at a gateway.';
comment on column attempts.rank is 'The order of the statuses. An update never lowers it: evidence that comes late cannot undo a success.';
comment on column attempts.reference is 'What the gateway knows the attempt by, stored before the call.';
comment on column attempts.channel is 'checkout: the hosted page, until the payer has chosen; then what the payer chose.';

create table receipts (
  tenant_id uuid not null constraint receipts__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  gateway text not null constraint receipts__gateway_check check (gateway in ('mobile_money', 'card_gateway')),
  kind text not null constraint receipts__kind_check check (kind in ('collection', 'payout', 'reversal')),
  receipt text,
  shortcode text,
  channel text not null,
  custody text not null constraint receipts__custody_check check (custody in ('tenant', 'platform')),
  amount_minor bigint not null constraint receipts__amount_check check (amount_minor > 0),
  currency text not null,
  fee_minor bigint not null default 0 constraint receipts__fee_check check (fee_minor >= 0),
  occurred_at timestamptz not null,
  account_ref text,
  payer_masked text,
  state text not null constraint receipts__state_check check (state in ('unverified', 'verified')),
  allocated_minor bigint not null default 0,
  refunded_minor bigint not null default 0,
  is_duplicate boolean not null default false,
  settled_at timestamptz,
  attempt_id uuid,
  created_at timestamptz not null,
  constraint receipts__pkey primary key (tenant_id, id),
  constraint receipts__receipt_unique unique (tenant_id, gateway, kind, receipt),
  constraint receipts__attempt_fkey foreign key (tenant_id, attempt_id) references attempts (tenant_id, id)
    on update cascade on delete set null (attempt_id),
  constraint receipts__allocated_check check (allocated_minor >= 0 and refunded_minor >= 0 and allocated_minor + refunded_minor <= amount_minor)
);
create index receipts__newest on receipts (tenant_id, id desc);
create index receipts__shortcode on receipts (tenant_id, shortcode, created_at) where shortcode is not null;
create index receipts__unallocated on receipts (tenant_id, id desc) where allocated_minor + refunded_minor < amount_minor;
create unique index receipts__one_unnumbered on receipts (tenant_id, attempt_id) where receipt is null;
create index receipts__suspended on receipts (tenant_id, shortcode, amount_minor, occurred_at)
  where account_ref is null and attempt_id is null and state = 'verified' and allocated_minor = 0 and refunded_minor = 0;
create index receipts__unnumbered on receipts (tenant_id, shortcode, amount_minor, occurred_at) where receipt is null;
create index receipts__attempt on receipts (tenant_id, attempt_id) where attempt_id is not null;
create index receipts__account on receipts (tenant_id, account_ref) where account_ref is not null;
comment on table receipts is 'Movements of money that a gateway vouches for. An unverified one is only said to have moved: it has no posting.';
comment on column receipts.is_duplicate is 'The same money was counted by another receipt, too: nothing more of it is allocated.';
comment on column receipts.receipt is 'The number that the gateway gave it. Null until it is known: a query says that a prompt was paid, and not by which receipt.';

create table payments (
  tenant_id uuid not null,
  id uuid not null,
  intent_id uuid,
  receipt_id uuid not null,
  amount_minor bigint not null constraint payments__amount_check check (amount_minor > 0),
  fee_minor bigint not null default 0 constraint payments__fee_check check (fee_minor >= 0),
  refunded_minor bigint not null default 0 constraint payments__refunded_check check (refunded_minor between 0 and amount_minor),
  pending_minor bigint not null default 0 constraint payments__pending_check check (pending_minor between 0 and amount_minor),
  released_at timestamptz,
  created_at timestamptz not null,
  constraint payments__pkey primary key (tenant_id, id),
  constraint payments__intent_fkey foreign key (tenant_id, intent_id) references intents (tenant_id, id)
    on update cascade on delete set null (intent_id),
  constraint payments__receipt_fkey foreign key (tenant_id, receipt_id) references receipts (tenant_id, id) on update cascade
);
create index payments__intent on payments (tenant_id, intent_id);
create index payments__receipt on payments (tenant_id, receipt_id);
comment on column payments.intent_id is 'Null once the tenant was deleted: its intents are erased, what was paid is kept.';
comment on table payments is 'Receipts, or parts of them, that were allocated to an intent.';
comment on column payments.pending_minor is 'What of it is still in tenant.pending.';

create table evidence (
  tenant_id uuid not null constraint evidence__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  object_kind text not null,
  object_id uuid not null,
  source text not null constraint evidence__source_check check (source in
    ('delivery', 'query', 'answer', 'statement', 'request', 'operator', 'event')),
  source_id text,
  said jsonb not null,
  at timestamptz not null,
  constraint evidence__pkey primary key (tenant_id, id)
);
create index evidence__object on evidence (tenant_id, object_id, id);
comment on table evidence is 'Stored statements about money. Every change of a state and every journal has one. Rows are only added.';

create table callback_tokens (
  tenant_id uuid not null constraint callback_tokens__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  profile_id uuid not null,
  route text not null,
  object_kind text not null constraint callback_tokens__object_check check (object_kind in ('attempt', 'shortcode', 'query')),
  object_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  constraint callback_tokens__pkey primary key (tenant_id, id)
);
create index callback_tokens__object on callback_tokens (tenant_id, object_id);
create index callback_tokens__expiry on callback_tokens (expires_at) where expires_at is not null;
comment on table callback_tokens is 'The tokens in the addresses that the mobile-money gateway calls: new for each call of ours. Only a locator with the hash finds one.';
comment on column callback_tokens.route is 'The route that it opens: callback, confirmation, …';
comment on column callback_tokens.expires_at is 'Null: for the registered addresses of a shortcode.';

create table prompt_guards (
  shortcode text not null,
  phone_hash bytea not null,
  until timestamptz not null,
  constraint prompt_guards__pkey primary key (shortcode, phone_hash)
);
comment on table prompt_guards is 'At most one live prompt on a phone for a shortcode, whichever tenant asks.';

alter table locators enable row level security;
alter table locators force row level security;
create policy locators__tenant on locators using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy locators__platform on locators for select to lango_platform using (true);

alter table intents enable row level security;
alter table intents force row level security;
create policy intents__tenant on intents using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy intents__platform on intents for select to lango_platform using (true);

alter table attempts enable row level security;
alter table attempts force row level security;
create policy attempts__tenant on attempts using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy attempts__platform on attempts for select to lango_platform using (true);

alter table receipts enable row level security;
alter table receipts force row level security;
create policy receipts__tenant on receipts using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy receipts__platform on receipts for select to lango_platform using (true);

alter table payments enable row level security;
alter table payments force row level security;
create policy payments__tenant on payments using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy payments__platform on payments for select to lango_platform using (true);

alter table callback_tokens enable row level security;
alter table callback_tokens force row level security;
create policy callback_tokens__tenant on callback_tokens using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy callback_tokens__platform on callback_tokens for select to lango_platform using (true);

alter table evidence enable row level security;
alter table evidence force row level security;
create policy evidence__tenant on evidence using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy evidence__platform on evidence for select to lango_platform using (true);

grant select, insert, delete on locators to lango_app;
grant select, insert, update, delete on intents, attempts, receipts, payments, callback_tokens, prompt_guards to lango_app;
grant select, insert, delete on evidence to lango_app;
grant select on locators, intents, attempts, receipts, payments, callback_tokens, evidence to lango_platform;
grant select on locators to lango_lookup;
create policy locators__lookup on locators for select to lango_lookup using (true);

-- Finds the tenant and the object of a value that arrived from outside.
create function find_locator(p_kind text, p_value text)
returns table (tenant_id uuid, object_id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select l.tenant_id, l.object_id from locators l where l.kind = p_kind and l.value = p_value
$$;
alter function find_locator(text, text) owner to lango_lookup;
revoke execute on function find_locator(text, text) from public;
grant execute on function find_locator(text, text) to lango_app;
