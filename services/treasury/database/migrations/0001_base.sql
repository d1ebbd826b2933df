-- breaking: no
-- The treasury: what is to be paid, the attempts to collect it, the receipts of the gateways, and the ledger.
-- Amounts are whole numbers of the currency's lowest unit.

-- Intents, attempts, receipts and payments

create table locators (
  kind text not null constraint locators__kind_check check (kind in
    ('account_code', 'pay_code', 'reference', 'checkout_request', 'receipt', 'charge', 'callback_token', 'shortcode', 'card_plan',
     'card_subscription', 'page_token')),
  value text not null,
  tenant_id uuid not null constraint locators__tenant_fkey references tenants (id) on update cascade,
  object_id uuid not null,
  constraint locators__pkey primary key (kind, value)
);
create index locators__object on locators (tenant_id, object_id);
comment on table locators is 'Values by which an object is found before its tenant is known: they arrive from gateways and payers. Unique over all tenants.';
comment on column locators.value is 'Of pay codes and callback tokens their SHA-256 in hex. Of a receipt gateway:kind:receipt. Of a charge in suspense the reference that the gateway gave it.';

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
  fingerprint bytea not null,
  created_at timestamptz not null,
  failed_attempt integer not null default 0,
  refreshed_at timestamptz,
  required_attempt integer not null default 0,
  constraint intents__pkey primary key (tenant_id, id),
  constraint intents__operation_unique unique (tenant_id, operation_id, source_service),
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
comment on column intents.failed_attempt is 'The attempt of the asking service that treasury.payment.failed answered last; 0: none.';
comment on column intents.required_attempt is 'The attempt of the asking service for which treasury.payment.required was published last; 0: none.';
comment on column intents.refreshed_at is 'When somebody had the gateway asked about its attempts last.';
comment on column intents.account_code is 'What a payer types as the account number at the shortcode: nine characters of Crockford base 32 and a check character.';
comment on column intents.pay_code_hash is 'SHA-256 of the code in the address of the page where anybody can pay it.';
comment on column intents.fingerprint is 'SHA-256 of the request. The same key or operation with another one is refused.';

create table intent_keys (
  tenant_id uuid not null,
  created_by_kind text not null,
  created_by text not null,
  idempotency_key text not null,
  intent_id uuid not null,
  constraint intent_keys__pkey primary key (tenant_id, created_by_kind, created_by, idempotency_key),
  constraint intent_keys__intent_fkey foreign key (tenant_id, intent_id) references intents (tenant_id, id)
    on update cascade on delete cascade
);
create index intent_keys__intent on intent_keys (tenant_id, intent_id);
comment on table intent_keys is 'The Idempotency-Keys under which an intent was asked for. A caller''s key names one intent; an intent of an operation may have several.';

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
  is_fee_estimated boolean not null default false,
  is_fee_passed_on boolean not null default false,
  occurred_at timestamptz not null,
  account_ref text,
  payer_masked text,
  state text not null constraint receipts__state_check check (state in ('unverified', 'verified')),
  allocated_minor bigint not null default 0,
  platform_minor bigint not null default 0 constraint receipts__platform_check check (platform_minor between 0 and allocated_minor),
  refunded_minor bigint not null default 0,
  is_duplicate boolean not null default false,
  settled_at timestamptz,
  attempt_id uuid,
  created_at timestamptz not null,
  next_check_at timestamptz,
  flag text constraint receipts__flag_check check (flag in ('standing_order_closed')),
  object_kind text constraint receipts__object_check check (object_kind in ('payout', 'refund')),
  object_id uuid,
  constraint receipts__pkey primary key (tenant_id, id),
  constraint receipts__receipt_unique unique (tenant_id, gateway, kind, receipt),
  constraint receipts__attempt_fkey foreign key (tenant_id, attempt_id) references attempts (tenant_id, id) on update cascade,
  constraint receipts__allocated_check check (allocated_minor >= 0 and refunded_minor >= 0 and allocated_minor + refunded_minor <= amount_minor),
  constraint receipts__out_check check ((kind = 'collection') = (object_id is null) and (object_kind is null) = (object_id is null)
    and (kind = 'collection' or receipt is not null))
);
create index receipts__newest on receipts (tenant_id, id desc);
create index receipts__shortcode on receipts (tenant_id, shortcode, created_at) where shortcode is not null;
create index receipts__unallocated on receipts (tenant_id, id desc) where allocated_minor + refunded_minor < amount_minor;
create unique index receipts__one_unnumbered on receipts (tenant_id, attempt_id) where receipt is null;
create index receipts__suspended on receipts (tenant_id, shortcode, amount_minor, occurred_at)
  where account_ref is null and attempt_id is null and state = 'verified' and allocated_minor = 0 and refunded_minor = 0;
create index receipts__named on receipts (tenant_id, account_ref, id) where account_ref is not null and attempt_id is null;
create index receipts__unnumbered on receipts (tenant_id, shortcode, amount_minor, occurred_at) where receipt is null;
create index receipts__attempt on receipts (tenant_id, attempt_id) where attempt_id is not null;
create index receipts__by_card on receipts (created_at) where gateway = 'card_gateway';
create index receipts__unverified on receipts (created_at) where state = 'unverified';
create index receipts__due on receipts (next_check_at) where next_check_at is not null;
create index receipts__to_platform on receipts (tenant_id, currency, id desc) where platform_minor > 0;
create index receipts__unsettled on receipts (occurred_at)
  where gateway = 'card_gateway' and kind = 'collection' and state = 'verified' and settled_at is null;
create unique index receipts__object on receipts (tenant_id, object_id, kind) where object_id is not null;
create index receipts__account on receipts (tenant_id, account_ref) where account_ref is not null;
comment on table receipts is 'Movements of money that a gateway vouches for. An unverified one is only said to have moved: it has no posting.';
comment on column receipts.kind is 'collection: what a payer paid. payout: what was paid out. reversal: a payment that was returned, or a payout that came back.';
comment on column receipts.object_id is 'The payout or refund whose money moved; of a collection null.';
comment on column receipts.is_fee_estimated is 'The card gateway has not said yet what it keeps.';
comment on column receipts.is_fee_passed_on is 'The tenant owes the fee to the platform. Of money whose tenant or intent is not known yet it does not.';
comment on column receipts.platform_minor is 'What of it the tenant paid to the platform: a bill is paid from the sum of these.';
comment on column receipts.is_duplicate is 'The same money was counted by another receipt, too: nothing more of it is allocated.';
comment on column receipts.next_check_at is 'When the gateway is asked about it next. Null: it is not asked.';
comment on column receipts.flag is 'Why a person should look at it. standing_order_closed: the wallet executed an order that was stopped or has ended.';
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
  constraint payments__intent_fkey foreign key (tenant_id, intent_id) references intents (tenant_id, id) on update cascade,
  constraint payments__receipt_fkey foreign key (tenant_id, receipt_id) references receipts (tenant_id, id) on update cascade
);
create index payments__intent on payments (tenant_id, intent_id);
create index payments__receipt on payments (tenant_id, receipt_id);
comment on column payments.intent_id is 'Null once the tenant was deleted: its intents are erased, what was paid is kept.';
comment on table payments is 'Receipts, or parts of them, that were allocated to an intent.';
comment on column payments.pending_minor is 'What of it is still in tenant.pending.';

comment on column receipts.refunded_minor is 'What of it that is not allocated was returned to the payer, or is being returned.';
comment on column payments.refunded_minor is 'What of it was returned to the payer, by refunds and by disputes that were lost.';

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
comment on table evidence is 'Stored statements about money. Every change of a state and every journal has one. Rows are only added; those of receipts that were never verified are removed with them.';

create table callback_tokens (
  tenant_id uuid not null constraint callback_tokens__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  profile_id uuid not null,
  route text not null,
  object_kind text not null constraint callback_tokens__object_check check (object_kind in ('attempt', 'shortcode', 'query', 'standing_order', 'refund', 'payout')),
  object_id uuid not null,
  platform_shortcode text,
  created_at timestamptz not null,
  expires_at timestamptz,
  constraint callback_tokens__pkey primary key (tenant_id, id)
);
create index callback_tokens__object on callback_tokens (tenant_id, object_id);
create index callback_tokens__expiry on callback_tokens (expires_at) where expires_at is not null;
comment on table callback_tokens is 'The tokens in the addresses that the mobile-money gateway calls: new for each call of ours. Only a locator with the hash finds one.';
comment on column callback_tokens.route is 'The route that it opens: callback, confirmation, …';
comment on column callback_tokens.platform_shortcode is 'Of the prompt for a bill: where it is paid to. Its money is counted also if the prompt was erased with its tenant.';
comment on column callback_tokens.expires_at is 'Null: for the registered addresses of a shortcode.';

create table prompt_guards (
  shortcode text not null,
  phone_hash bytea not null,
  until timestamptz not null,
  constraint prompt_guards__pkey primary key (shortcode, phone_hash)
);
comment on table prompt_guards is 'At most one live prompt on a phone for a shortcode, and one of an amount within two minutes, whichever tenant asks.';
comment on column prompt_guards.phone_hash is 'SHA-256 of the phone, or of the phone and the amount.';

alter table locators enable row level security;
alter table locators force row level security;
create policy locators__tenant on locators using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy locators__platform on locators for select to lango_platform using (true);

alter table intents enable row level security;
alter table intents force row level security;
create policy intents__tenant on intents using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy intents__platform on intents for select to lango_platform using (true);

alter table intent_keys enable row level security;
alter table intent_keys force row level security;
create policy intent_keys__tenant on intent_keys using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy intent_keys__platform on intent_keys for select to lango_platform using (true);

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
grant select, insert, delete on intent_keys to lango_app;
grant select, insert on evidence to lango_app;
grant select on locators, intents, intent_keys, attempts, receipts, payments, callback_tokens, evidence to lango_platform;
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

grant select, update, delete on receipts to lango_lookup;
grant update on locators to lango_lookup;
create policy receipts__lookup on receipts to lango_lookup using (true);
create policy locators__take on locators for update to lango_lookup using (true);

-- The values that lead to a receipt lead to it in the tenant of this transaction, to which it was moved.
create function take_locators(p_from uuid, p_receipt uuid)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  update locators l set tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid
   where l.tenant_id = p_from and l.object_id = p_receipt and l.kind in ('receipt', 'charge')
$$;
alter function take_locators(uuid, uuid) owner to lango_lookup;
revoke execute on function take_locators(uuid, uuid) from public;
grant execute on function take_locators(uuid, uuid) to lango_app;

-- The ledger: accounts, their balances, and journals with their postings (design, section 7). `post_journal` is its only writer.

create table ledger_accounts (
  id uuid not null default gen_random_uuid() constraint ledger_accounts__pkey primary key,
  tenant_id uuid constraint ledger_accounts__tenant_fkey references tenants (id) on update cascade,
  code text not null
    constraint ledger_accounts__code_check check (code ~ '^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$' and length(code) <= 60),
  currency text not null constraint ledger_accounts__currency_check check (currency ~ '^[A-Z]{3}$'),
  type text not null constraint ledger_accounts__type_check check (type in ('asset', 'liability', 'revenue', 'expense')),
  custody text not null constraint ledger_accounts__custody_check check (custody in ('platform', 'tenant')),
  is_guarded boolean not null,
  shards integer not null constraint ledger_accounts__shards_check check (shards between 1 and 64),
  merged_into uuid constraint ledger_accounts__merged_fkey references ledger_accounts (id),
  created_at timestamptz not null default now()
);
create unique index ledger_accounts__code on ledger_accounts (tenant_id, code, currency) nulls not distinct where merged_into is null;
create index ledger_accounts__tenant on ledger_accounts (tenant_id, id);
create index ledger_accounts__merged on ledger_accounts (merged_into) where merged_into is not null;
comment on table ledger_accounts is 'The chart of accounts: what a tenant or the platform has, owes, earned and spent, each per currency.';
comment on column ledger_accounts.tenant_id is 'Null: an account of the platform.';
comment on column ledger_accounts.type is 'Assets and expenses grow by debits, liabilities and revenue by credits.';
comment on column ledger_accounts.custody is 'The holder of the money: the platform, or the tenant on a shortcode of its own, which the ledger only mirrors.';
comment on column ledger_accounts.is_guarded is 'Its balance, with those of the accounts that are merged into it, never falls below 0.';
comment on column ledger_accounts.shards is 'Rows of ledger_balances among which concurrent postings are spread.';
comment on column ledger_accounts.merged_into is 'The account of the same code of the id that the tenant was merged into: both count as one, and new postings go there.';

create table ledger_balances (
  account_id uuid not null constraint ledger_balances__account_fkey references ledger_accounts (id),
  shard integer not null,
  balance_minor bigint not null default 0,
  constraint ledger_balances__pkey primary key (account_id, shard)
);
comment on table ledger_balances is 'The balances of accounts, exact at every commit; an account''s is the sum of its shards. Read by functions only.';
comment on column ledger_balances.balance_minor is 'In the direction in which the account grows. One shard alone may be negative.';

create table ledger_days (
  account_id uuid not null constraint ledger_days__account_fkey references ledger_accounts (id),
  day date not null,
  closing_minor bigint not null,
  constraint ledger_days__pkey primary key (account_id, day)
);
comment on table ledger_days is 'Balances at the end of UTC days of postings.posted_at, so that a statement adds few postings. Read by functions only.';

create sequence journals_id;

create table journals (
  id bigint not null default nextval('journals_id') constraint journals__pkey primary key,
  tenant_id uuid constraint journals__tenant_fkey references tenants (id) on update cascade,
  source_type text not null constraint journals__source_check check (source_type ~ '^[a-z][a-z_]{1,39}$'),
  source_id uuid not null,
  purpose text not null constraint journals__purpose_check check (purpose ~ '^[a-z][a-z_]{1,39}$'),
  evidence_id uuid not null,
  effective_at timestamptz not null,
  posted_at timestamptz not null,
  cluster bigint not null,
  xid xid8 not null,
  hash bytea not null,
  constraint journals__purpose_unique unique (source_type, source_id, purpose)
);
create index journals__unsealed on journals (cluster, xid);
create index journals__tenant on journals (tenant_id) where tenant_id is not null;
comment on table journals is 'One movement of money each, with its postings. Rows never change and are never deleted.';
comment on column journals.tenant_id is 'Null: it concerns the platform alone.';
comment on column journals.purpose is 'Why it was posted: once for each source.';
comment on column journals.evidence_id is 'The stored statement about money on which it rests.';
comment on column journals.effective_at is 'When the money moved, as the evidence says.';
comment on column journals.posted_at is 'When it was posted, by the database''s clock, after its transaction id was assigned.';
comment on column journals.cluster is 'The system identifier of the database cluster whose transaction ids xid counts: a restored copy counts again from the start.';
comment on column journals.hash is 'SHA-256 of its content and its postings; it holds ids of accounts, and none of tenants.';

create table postings (
  journal_id bigint not null,
  line integer not null,
  account_id uuid not null,
  tenant_id uuid constraint postings__tenant_fkey references tenants (id) on update cascade,
  side text not null constraint postings__side_check check (side in ('debit', 'credit')),
  amount_minor bigint not null constraint postings__amount_check check (amount_minor > 0),
  posted_at timestamptz not null,
  constraint postings__pkey primary key (journal_id, line)
);
create index postings__account on postings (account_id, posted_at, journal_id, line);
create index postings__tenant on postings (tenant_id) where tenant_id is not null;
comment on table postings is 'The lines of journals. Rows never change and are never deleted.';
comment on column postings.journal_id is 'Without a foreign key, which would be checked for each line: post_journal writes the journal in the same call.';
comment on column postings.account_id is 'Without a foreign key, which would lock the rows of busy accounts: post_journal looks the account up, and accounts are never deleted.';
comment on column postings.tenant_id is 'The tenant of the account; null: an account of the platform.';
comment on column postings.posted_at is 'That of the journal.';

create table journal_seals (
  seq bigint not null constraint journal_seals__pkey primary key,
  cluster bigint not null,
  from_xid xid8 not null,
  until_xid xid8 not null,
  seen_xid xid8 not null,
  count bigint not null constraint journal_seals__count_check check (count > 0),
  previous_hash bytea not null,
  hash bytea not null,
  sealed_at timestamptz not null
);
comment on table journal_seals is 'The hash chain over the journals. A seal covers those of a cluster with from_xid <= xid < until_xid.';
comment on column journal_seals.seen_xid is 'The id of the transaction that sealed, assigned after sealed_at: what was posted before has a lower one.';
comment on column journal_seals.hash is 'SHA-256 of the previous seal''s hash and the hashes of its journals by id.';

alter table ledger_accounts enable row level security;
alter table ledger_accounts force row level security;
create policy ledger_accounts__tenant on ledger_accounts using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy ledger_accounts__platform on ledger_accounts for select to lango_platform using (true);
create policy ledger_accounts__ledger on ledger_accounts to lango_lookup using (true);

alter table journals enable row level security;
alter table journals force row level security;
create policy journals__tenant on journals using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy journals__platform on journals for select to lango_platform using (true);
create policy journals__ledger on journals to lango_lookup using (true);

alter table postings enable row level security;
alter table postings force row level security;
create policy postings__tenant on postings using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy postings__platform on postings for select to lango_platform using (true);
create policy postings__ledger on postings to lango_lookup using (true);

grant select on ledger_accounts, journals, postings, journal_seals to lango_app, lango_platform;
grant select on ledger_balances, ledger_days to lango_platform;
grant select, insert, update on ledger_accounts to lango_lookup;
grant select, insert, update on ledger_balances to lango_lookup;
grant select, insert on ledger_days, journals, postings, journal_seals to lango_lookup;
grant usage on sequence journals_id to lango_lookup;

-- Refuses every change of a row of the ledger, except of the columns that its arguments name: those of a merge of tenants.
create function refuse_ledger_change()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - tg_argv[0:] = to_jsonb(old) - tg_argv[0:] then
    return new;
  end if;
  raise exception 'rows of % are never changed or deleted', tg_table_name;
end
$$;
create trigger ledger_accounts__kept before update or delete on ledger_accounts
  for each row execute function refuse_ledger_change('tenant_id', 'merged_into', 'shards');
create trigger journals__kept before update or delete on journals for each row execute function refuse_ledger_change('tenant_id');
create trigger postings__kept before update or delete on postings for each row execute function refuse_ledger_change('tenant_id');
create trigger ledger_days__kept before update or delete on ledger_days for each row execute function refuse_ledger_change();
create trigger journal_seals__kept before update or delete on journal_seals for each row execute function refuse_ledger_change();
create trigger ledger_balances__kept before delete on ledger_balances for each row execute function refuse_ledger_change();
create trigger ledger_accounts__whole before truncate on ledger_accounts execute function refuse_ledger_change();
create trigger ledger_balances__whole before truncate on ledger_balances execute function refuse_ledger_change();
create trigger ledger_days__whole before truncate on ledger_days execute function refuse_ledger_change();
create trigger journals__whole before truncate on journals execute function refuse_ledger_change();
create trigger postings__whole before truncate on postings execute function refuse_ledger_change();
create trigger journal_seals__whole before truncate on journal_seals execute function refuse_ledger_change();

-- The kinds of accounts. `owner` says whose an account of this code may be; a code that ends with * is followed by a shortcode
-- or a channel, and the longest code that fits counts. What is in a tenant's own shortcode is in the tenant's custody.
create function ledger_chart()
returns table (code text, owner text, type text, custody text, is_guarded boolean)
language sql immutable
set search_path = public, pg_temp
as $$
  values
    ('card.unsettled', 'platform', 'asset', 'platform', false),
    ('card.balance', 'platform', 'asset', 'platform', false),
    ('bank', 'platform', 'asset', 'platform', false),
    ('mm.float.*', 'either', 'asset', 'owner', false),
    ('tenant.fees_due', 'tenant', 'asset', 'platform', true),
    ('tenant.debt', 'tenant', 'asset', 'platform', true),
    ('tenant.pending', 'tenant', 'liability', 'platform', true),
    ('tenant.available', 'tenant', 'liability', 'platform', true),
    ('tenant.reserved', 'tenant', 'liability', 'platform', true),
    ('tenant.refunding', 'tenant', 'liability', 'platform', true),
    ('tenant.disputed', 'tenant', 'liability', 'platform', true),
    ('tenant.mobile', 'tenant', 'liability', 'tenant', false),
    ('unapplied', 'tenant', 'liability', 'platform', true),
    ('suspense.card', 'platform', 'liability', 'platform', true),
    ('suspense.*', 'either', 'liability', 'owner', true),
    ('fee_recovery', 'platform', 'revenue', 'platform', false),
    ('platform.income', 'platform', 'revenue', 'platform', false),
    ('gateway_fee.*', 'platform', 'expense', 'platform', false),
    ('chargeback_loss', 'platform', 'expense', 'platform', false),
    ('recon_variance', 'platform', 'expense', 'platform', false)
$$;
revoke execute on function ledger_chart() from public;
grant execute on function ledger_chart() to lango_app, lango_lookup;

-- Makes the account that postings of this code go to, with its balance, if it does not exist. Called by post_journal only.
create function ensure_ledger_account(p_tenant uuid, p_owner text, p_code text, p_currency text)
returns void
language plpgsql
set search_path = public, pg_temp
as $$
declare
  v_id uuid;
  v_kind record;
begin
  if p_owner = 'tenant' and p_tenant is null then
    raise exception 'a journal without a tenant has an account of a tenant';
  end if;
  select c.type, case c.custody when 'owner' then p_owner else c.custody end as custody, c.is_guarded into v_kind from ledger_chart() c
   where p_code like replace(replace(c.code, '_', '\_'), '*', '_%') and c.owner in (p_owner, 'either')
   order by length(c.code) desc limit 1;
  if v_kind is null then
    raise exception 'there is no account % of a %', p_code, p_owner;
  end if;
  insert into ledger_accounts (tenant_id, code, currency, type, custody, is_guarded, shards)
  values (p_tenant, p_code, p_currency, v_kind.type, v_kind.custody, v_kind.is_guarded, case when p_owner = 'platform' then 16 else 1 end)
  on conflict do nothing
  returning id into v_id;
  insert into ledger_balances (account_id, shard)
  select v_id, s from ledger_accounts a, generate_series(0, a.shards - 1) s where a.id = v_id;
end
$$;
revoke execute on function ensure_ledger_account(uuid, text, text, text) from public;
grant execute on function ensure_ledger_account(uuid, text, text, text) to lango_lookup;

-- The hash of a journal and its postings, by line. Without `set search_path`, so that it is inlined; only functions that set it call it.
create function hash_journal(p_id bigint, p_source text, p_evidence uuid, p_effective_at timestamptz, p_posted_at timestamptz,
  p_accounts uuid[], p_sides text[], p_amounts bigint[])
returns bytea
language sql stable
as $$
  select sha256(convert_to(concat_ws(E'\n', p_id, p_source, p_evidence,
    (extract(epoch from p_effective_at) * 1000000)::bigint, (extract(epoch from p_posted_at) * 1000000)::bigint,
    array_to_string(p_accounts, ','), array_to_string(p_sides, ','), array_to_string(p_amounts, ',')), 'UTF8'))
$$;
revoke execute on function hash_journal(bigint, text, uuid, timestamptz, timestamptz, uuid[], text[], bigint[]) from public;
grant execute on function hash_journal(bigint, text, uuid, timestamptz, timestamptz, uuid[], text[], bigint[]) to lango_lookup;

-- Posts journals and changes the balances of their accounts: the only writer of the ledger. p_journals is a list of
-- {source_type, source_id, purpose, evidence_id, effective_at, lines: [{side, owner, code, currency, amount_minor}]}; accounts are of p_tenant or
-- of the platform. A purpose of a source that is repeated with the same lines changes nothing. Raises LT001 if a guarded account
-- would fall below 0, and LT002 for a repetition with other lines. Call it inside p_tenant, with all journals of a transaction at once:
-- balances are locked in the order of accounts. Raising an account, or one without a guard, takes the shard of this connection;
-- lowering a guarded one locks all its shards, and those of accounts merged into it.
create function post_journal(p_tenant uuid, p_journals jsonb)
returns table (journal_id bigint, is_new boolean)
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_xid constant xid8 := pg_current_xact_id();
  v_posted_at constant timestamptz := clock_timestamp();
  v_cluster constant bigint := (select system_identifier from pg_control_system());
  v_journal jsonb;
  v_lines record;
  v_accounts uuid[] := '{}';
  v_deltas bigint[] := '{}';
  v_guards boolean[] := '{}';
  v_shards integer[] := '{}';
  v_change record;
  v_sum numeric;
begin
  if p_tenant is distinct from nullif(current_setting('app.tenant_id', true), '')::uuid and p_tenant is not null then
    raise exception 'a journal of a tenant is posted inside this tenant';
  end if;
  for v_journal in select value from jsonb_array_elements(p_journals) loop
    for attempt in 1..2 loop
      select array_agg((l.account).id order by l.line) as accounts, array_agg((l.account).tenant_id order by l.line) as tenants,
             array_agg(l.side order by l.line) as sides,
             array_agg(l.amount_minor order by l.line) as amounts,
             array_agg(case when (l.side = 'debit') = ((l.account).type in ('asset', 'expense')) then l.amount_minor else -l.amount_minor end
               order by l.line) as deltas,
             array_agg((l.account).is_guarded order by l.line) as guards, array_agg((l.account).shards order by l.line) as shards,
             count(*) < 2 or bool_or(l.difference <> 0) as is_unequal, bool_or((l.account).id is null) as is_missing
        into v_lines
        from (
          select n.*, sum(case n.side when 'debit' then n.amount_minor else -n.amount_minor end) over (partition by n.currency) as difference,
                 case n.owner
                   when 'tenant' then (
                     select a from ledger_accounts a
                      where a.tenant_id = p_tenant and a.code = n.code and a.currency = n.currency and a.merged_into is null)
                   else (
                     select a from ledger_accounts a
                      where a.tenant_id is null and a.code = n.code and a.currency = n.currency and a.merged_into is null) end as account
            from rows from (jsonb_to_recordset(v_journal->'lines') as (side text, owner text, code text, currency text, amount_minor bigint))
              with ordinality n (side, owner, code, currency, amount_minor, line)) l;
      exit when not v_lines.is_missing;
      perform ensure_ledger_account(case l.owner when 'tenant' then p_tenant end, l.owner, l.code, l.currency)
         from jsonb_to_recordset(v_journal->'lines') as l (owner text, code text, currency text) order by l.code, l.currency;
    end loop;
    if v_lines.is_unequal then
      raise exception 'debit and credit of a journal differ';
    end if;

    journal_id := nextval('journals_id');
    insert into journals (id, tenant_id, source_type, source_id, purpose, evidence_id, effective_at, posted_at, cluster, xid, hash)
    values (journal_id, p_tenant, v_journal->>'source_type', (v_journal->>'source_id')::uuid, v_journal->>'purpose',
      (v_journal->>'evidence_id')::uuid, (v_journal->>'effective_at')::timestamptz, v_posted_at, v_cluster, v_xid,
      hash_journal(journal_id, concat_ws(' ', v_journal->>'source_type', v_journal->>'source_id', v_journal->>'purpose'),
        (v_journal->>'evidence_id')::uuid, (v_journal->>'effective_at')::timestamptz, v_posted_at, v_lines.accounts, v_lines.sides, v_lines.amounts))
    on conflict on constraint journals__purpose_unique do nothing;
    is_new := found;
    if is_new then
      insert into postings (journal_id, line, account_id, tenant_id, side, amount_minor, posted_at)
      select post_journal.journal_id, l.line, l.account_id, l.tenant_id, l.side, l.amount, v_posted_at
        from unnest(v_lines.accounts, v_lines.tenants, v_lines.sides, v_lines.amounts) with ordinality l (account_id, tenant_id, side, amount, line);
      v_accounts := v_accounts || v_lines.accounts;
      v_deltas := v_deltas || v_lines.deltas;
      v_guards := v_guards || v_lines.guards;
      v_shards := v_shards || v_lines.shards;
    else
      journal_id := find_same_journal(v_journal, v_lines.accounts, v_lines.sides, v_lines.amounts);
    end if;
    return next;
  end loop;

  for v_change in
    select u.id, u.is_guarded, max(u.shards) as shards, sum(u.delta) as delta
      from unnest(v_accounts, v_guards, v_shards, v_deltas) u (id, is_guarded, shards, delta)
     group by u.id, u.is_guarded having sum(u.delta) <> 0 order by u.id
  loop
    if v_change.is_guarded and v_change.delta < 0 then
      select sum(b.balance_minor) into v_sum from (
        select s.balance_minor from ledger_balances s
         where s.account_id = v_change.id or s.account_id in (select m.id from ledger_accounts m where m.merged_into = v_change.id)
         order by s.account_id, s.shard for update) b;
      if v_sum + v_change.delta < 0 then
        raise exception 'ledger_overdrawn' using errcode = 'LT001',
          detail = (select a.code from ledger_accounts a where a.id = v_change.id),
          hint = format('%s %s in the account, %s taken', v_sum,
            (select a.currency from ledger_accounts a where a.id = v_change.id), -v_change.delta);
      end if;
    end if;
    update ledger_balances set balance_minor = balance_minor + v_change.delta
     where account_id = v_change.id and shard = pg_backend_pid() % v_change.shards;
    if not found then
      raise exception 'the account % has no balance', v_change.id;
    end if;
  end loop;
end
$$;

-- The journal that was posted for this purpose before. Raises LT002 if its lines are others. Accounts that were merged since count
-- as those that they were merged into. Called by post_journal only.
create function find_same_journal(p_journal jsonb, p_accounts uuid[], p_sides text[], p_amounts bigint[])
returns bigint
language plpgsql
set search_path = public, pg_temp
as $$
declare
  v_id bigint;
begin
  select j.id into strict v_id from journals j
   where j.source_type = p_journal->>'source_type' and j.source_id = (p_journal->>'source_id')::uuid and j.purpose = p_journal->>'purpose';
  if (select row(array_agg(coalesce(a.merged_into, a.id) order by p.line), array_agg(p.side order by p.line), array_agg(p.amount_minor order by p.line))
        from postings p join ledger_accounts a on a.id = p.account_id where p.journal_id = v_id)
     is distinct from row(p_accounts, p_sides, p_amounts)
  then
    raise exception 'ledger_journal_differs' using errcode = 'LT002', detail = format('journal %s', v_id);
  end if;
  return v_id;
end
$$;
revoke execute on function find_same_journal(jsonb, uuid[], text[], bigint[]) from public;
grant execute on function find_same_journal(jsonb, uuid[], text[], bigint[]) to lango_lookup;

alter function post_journal(uuid, jsonb) owner to lango_lookup;
revoke execute on function post_journal(uuid, jsonb) from public;
grant execute on function post_journal(uuid, jsonb) to lango_app;

-- Gives an account more shards, so that more concurrent postings raise it.
create function set_ledger_shards(p_account uuid, p_shards integer)
returns void
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  insert into ledger_balances (account_id, shard) select p_account, s from generate_series(0, p_shards - 1) s on conflict do nothing;
  update ledger_accounts set shards = p_shards where id = p_account and shards < p_shards;
end
$$;
alter function set_ledger_shards(uuid, integer) owner to lango_lookup;
revoke execute on function set_ledger_shards(uuid, integer) from public;
grant execute on function set_ledger_shards(uuid, integer) to lango_app;

-- The hash of a seal: that of the previous one, and those of the journals of a cluster with p_from <= xid < p_until, by id.
create function hash_seal(p_previous bytea, p_cluster bigint, p_from xid8, p_until xid8, out count bigint, out hash bytea)
language sql stable
set search_path = public, pg_temp
as $$
  select count(*), sha256(p_previous || coalesce(string_agg(j.hash, '' order by j.id), '')) from journals j
   where j.cluster = p_cluster and j.xid >= p_from and j.xid < p_until
$$;
revoke execute on function hash_seal(bytea, bigint, xid8, xid8) from public;
grant execute on function hash_seal(bytea, bigint, xid8, xid8) to lango_lookup;

-- Adds a seal for the journals of a cluster that the previous seals of it left, below p_until and 50,000 at most (more only if one
-- transaction posted them). Returns how many. Called by seal_journals only.
create function add_seal(p_cluster bigint, p_until xid8, p_seen xid8, p_at timestamptz)
returns bigint
language plpgsql
set search_path = public, pg_temp
as $$
declare
  v_last journal_seals;
  v_from xid8;
  v_until xid8 := p_until;
  v_seal record;
begin
  select * into v_last from journal_seals order by seq desc limit 1;
  v_from := coalesce((select s.until_xid from journal_seals s where s.cluster = p_cluster order by s.seq desc limit 1), '0');
  v_until := coalesce((
    select j.xid from journals j
     where j.cluster = p_cluster and j.xid > v_from and j.xid < p_until order by j.xid offset 50000 limit 1), p_until);
  v_seal := hash_seal(coalesce(v_last.hash, ''), p_cluster, v_from, v_until);
  if v_seal.count > 0 then
    insert into journal_seals (seq, cluster, from_xid, until_xid, seen_xid, count, previous_hash, hash, sealed_at)
    values (coalesce(v_last.seq, 0) + 1, p_cluster, v_from, v_until, p_seen, v_seal.count, coalesce(v_last.hash, ''), v_seal.hash, p_at);
  end if;
  return v_seal.count;
end
$$;
revoke execute on function add_seal(bigint, xid8, xid8, timestamptz) from public;
grant execute on function add_seal(bigint, xid8, xid8, timestamptz) to lango_lookup;

-- Seals what is committed and not sealed yet: the journals below every transaction that still runs, because ids of journals commit out of
-- order. A restored copy seals what its former cluster left, and then begins a range of its own. Returns how many were sealed.
create function seal_journals()
returns bigint
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_current constant bigint := (select system_identifier from pg_control_system());
  v_at timestamptz;
  v_seen xid8;
  v_until xid8;
  v_former record;
  v_sealed bigint := 0;
begin
  perform pg_advisory_xact_lock(hashtext('seal_journals'));
  v_at := clock_timestamp();
  v_seen := pg_current_xact_id();
  v_until := pg_snapshot_xmin(pg_current_snapshot());
  if (select s.cluster from journal_seals s order by s.seq desc limit 1) is distinct from v_current then
    for v_former in select j.cluster, max(j.xid) as last from journals j where j.cluster <> v_current group by j.cluster order by min(j.id) loop
      v_sealed := v_sealed + add_seal(v_former.cluster, (v_former.last::text::numeric + 1)::text::xid8, v_seen, v_at);
    end loop;
  end if;
  return v_sealed + add_seal(v_current, v_until, v_seen, v_at);
end
$$;
alter function seal_journals() owner to lango_lookup;
revoke execute on function seal_journals() from public;
grant execute on function seal_journals() to lango_app;

-- Seals after p_after, p_limit at most, that do not follow from the seal before them and from their journals, with what is wrong.
create function verify_seals(p_after bigint, p_limit integer)
returns table (seq bigint, problem text)
language sql stable security definer
set search_path = public, pg_temp
as $$
  with checked as (
    select s.*, lag(s.seq) over w as before_seq, lag(s.hash) over w as before_hash,
           (select max(o.until_xid) from journal_seals o where o.cluster = s.cluster and o.seq < s.seq) as before_until
      from journal_seals s where s.seq between p_after and p_after + p_limit window w as (order by s.seq)
  ), found as (
    select c.seq, array_remove(array[
      case when c.seq <> coalesce(c.before_seq, 0) + 1 then 'the seal before is missing' end,
      case when c.previous_hash <> coalesce(c.before_hash, '') then 'the seal before has another hash' end,
      case when c.from_xid <> coalesce(c.before_until, '0') then 'a range is missing before' end,
      case when (h.count, h.hash) <> (c.count, c.hash) then 'its journals are others' end,
      case when exists (
        select from journals j
         where j.cluster = c.cluster and j.xid >= c.from_xid and j.xid < c.until_xid and j.hash <> (
           select hash_journal(j.id, concat_ws(' ', j.source_type, j.source_id, j.purpose), j.evidence_id, j.effective_at, j.posted_at,
             array_agg(p.account_id order by p.line), array_agg(p.side order by p.line), array_agg(p.amount_minor order by p.line))
             from postings p where p.journal_id = j.id)) then 'a journal was changed' end], null) as problems
      from checked c cross join lateral hash_seal(c.previous_hash, c.cluster, c.from_xid, c.until_xid) h
     where c.seq > p_after
  )
  select f.seq, problem from found f, unnest(f.problems) problem
$$;
alter function verify_seals(bigint, integer) owner to lango_lookup;
revoke execute on function verify_seals(bigint, integer) from public;
grant execute on function verify_seals(bigint, integer) to lango_app;

-- What the postings of an account from the UTC day p_from on and before p_until add up to, in its direction; null: unbounded.
create function ledger_moved(p_account uuid, p_from date, p_until date)
returns numeric
language sql stable
set search_path = public, pg_temp
as $$
  select coalesce(sum(case when (p.side = 'debit') = (a.type in ('asset', 'expense')) then p.amount_minor else -p.amount_minor end), 0)
    from ledger_accounts a join postings p on p.account_id = a.id
   where a.id = p_account and p.posted_at >= coalesce(p_from::timestamp at time zone 'UTC', '-infinity')
     and p.posted_at < coalesce(p_until::timestamp at time zone 'UTC', 'infinity')
$$;
revoke execute on function ledger_moved(uuid, date, date) from public;
grant execute on function ledger_moved(uuid, date, date) to lango_lookup;

-- Of p_limit accounts after p_after, by id: the balance, and what the last closed day and the postings after it add up to. `wrong_day` is the
-- first of the last seven closed days that its postings contradict.
create function verify_accounts(p_after uuid, p_limit integer)
returns table (account_id uuid, code text, is_overdrawn boolean, balance_minor numeric, posted_minor numeric, wrong_day date)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select a.id, a.code, a.is_guarded and a.merged_into is null and b.balance + merged.balance < 0, b.balance,
         coalesce(d.closing_minor, 0) + ledger_moved(a.id, d.day + 1, null), (
           select min(w.day) from (
             select e.day, e.closing_minor, lag(e.day) over o as before_day, lag(e.closing_minor) over o as before_minor
               from ledger_days e where e.account_id = a.id window o as (order by e.day) order by e.day desc limit 7) w
            where w.closing_minor <> coalesce(w.before_minor, 0) + ledger_moved(a.id, w.before_day + 1, w.day + 1))
    from (select * from ledger_accounts where id > p_after order by id limit p_limit) a
    cross join lateral (select coalesce(sum(s.balance_minor), 0) as balance from ledger_balances s where s.account_id = a.id) b
    cross join lateral (
      select coalesce(sum(s.balance_minor), 0) as balance from ledger_balances s join ledger_accounts m on m.id = s.account_id
       where m.merged_into = a.id) merged
    left join lateral (select e.day, e.closing_minor from ledger_days e where e.account_id = a.id order by e.day desc limit 1) d on true
   order by a.id
$$;

alter function verify_accounts(uuid, integer) owner to lango_lookup;
revoke execute on function verify_accounts(uuid, integer) from public;
grant execute on function verify_accounts(uuid, integer) to lango_app;

-- Σ debit less Σ credit of all balances, by currency: 0 each.
create function ledger_totals()
returns table (currency text, total_minor numeric)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select a.currency, sum(case when a.type in ('asset', 'expense') then b.balance_minor else -b.balance_minor end)
    from ledger_accounts a join ledger_balances b on b.account_id = a.id group by a.currency
$$;
alter function ledger_totals() owner to lango_lookup;
revoke execute on function ledger_totals() from public;
grant execute on function ledger_totals() to lango_app;

-- Closes UTC days of p_limit accounts after p_after, by id, up to the last day of which every journal is known to be committed: of a seal that was made
-- after it, every transaction that ran then has ended. Returns the last account; null after the last page.
create function close_ledger_days(p_after uuid, p_limit integer)
returns uuid
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_until timestamptz;
  v_last uuid;
begin
  select date_trunc('day', max(s.sealed_at), 'UTC') into v_until
    from journal_seals s join (select * from journal_seals order by seq desc limit 1) l on l.cluster = s.cluster and s.seen_xid <= l.until_xid;
  with page as (
    select a.id, a.type, d.day, coalesce(d.closing_minor, 0) as closing_minor
      from (select * from ledger_accounts where id > p_after order by id limit p_limit) a
      left join lateral (select e.day, e.closing_minor from ledger_days e where e.account_id = a.id order by e.day desc limit 1) d on true
  ), moved as (
    select g.id, g.closing_minor, (p.posted_at at time zone 'UTC')::date as day,
           sum(case when (p.side = 'debit') = (g.type in ('asset', 'expense')) then p.amount_minor else -p.amount_minor end) as amount
      from page g join postings p on p.account_id = g.id
     where p.posted_at >= coalesce((g.day + 1)::timestamp at time zone 'UTC', '-infinity') and p.posted_at < v_until
     group by g.id, g.closing_minor, 3
  ), closed as (
    insert into ledger_days (account_id, day, closing_minor)
    select m.id, m.day, m.closing_minor + sum(m.amount) over (partition by m.id order by m.day) from moved m
    on conflict do nothing
  )
  select g.id into v_last from page g order by g.id desc limit 1;
  return v_last;
end
$$;
alter function close_ledger_days(uuid, integer) owner to lango_lookup;
revoke execute on function close_ledger_days(uuid, integer) from public;
grant execute on function close_ledger_days(uuid, integer) to lango_app;

-- The balances of the current tenant's accounts; merged accounts count as one.
create function tenant_balances()
returns table (code text, currency text, balance_minor bigint)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select a.code, a.currency, sum(b.balance_minor)::bigint from ledger_accounts a join ledger_balances b on b.account_id = a.id
   where a.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid
   group by a.code, a.currency
$$;
alter function tenant_balances() owner to lango_lookup;
revoke execute on function tenant_balances() from public;
grant execute on function tenant_balances() to lango_app;

-- Credit less debit of accounts of the current tenant before a posting: those of earlier days from the last one that is closed.
create function tenant_balance_before(p_accounts uuid[], p_at timestamptz, p_journal bigint, p_line integer)
returns bigint
language sql stable security definer
set search_path = public, pg_temp
as $$
  select coalesce(sum(
           case when a.type in ('asset', 'expense') then -coalesce(d.closing_minor, 0) else coalesce(d.closing_minor, 0) end + (
           select coalesce(sum(case p.side when 'credit' then p.amount_minor else -p.amount_minor end), 0) from postings p
            where p.account_id = a.id and p.posted_at >= coalesce((d.day + 1)::timestamp at time zone 'UTC', '-infinity')
              and (p.posted_at, p.journal_id, p.line) < (p_at, p_journal, p_line))), 0)::bigint
    from ledger_accounts a
    left join lateral (
      select e.day, e.closing_minor from ledger_days e
       where e.account_id = a.id and e.day < (p_at at time zone 'UTC')::date order by e.day desc limit 1) d on true
   where a.id = any (p_accounts) and a.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid
$$;
alter function tenant_balance_before(uuid[], timestamptz, bigint, integer) owner to lango_lookup;
revoke execute on function tenant_balance_before(uuid[], timestamptz, bigint, integer) from public;
grant execute on function tenant_balance_before(uuid[], timestamptz, bigint, integer) to lango_app;

-- Before two ids of a tenant are merged (decision 0045): both sets of accounts stay. Of two of one code, that of p_from is merged into that of
-- p_to, with what was merged into it before.
create function prepare_merge_of_ledger(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  update ledger_accounts f set merged_into = t.id from ledger_accounts t
   where f.tenant_id = p_from and t.tenant_id = p_to and (f.code, f.currency) = (t.code, t.currency)
     and f.merged_into is null and t.merged_into is null;
  update ledger_accounts m set merged_into = f.merged_into from ledger_accounts f
   where m.merged_into = f.id and f.merged_into is not null;
$$;
revoke execute on function prepare_merge_of_ledger(uuid, uuid) from public;


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

create table gateway_calls (
  key text not null constraint gateway_calls__pkey primary key,
  points integer not null,
  expire double precision
);
comment on table gateway_calls is 'How many calls all processes made in the current second, by shortcode or profile; those of queries apart. The names of its columns are those of rate-limiter-flexible.';
comment on column gateway_calls.expire is 'The end of the second, in milliseconds since 1970.';
grant select, insert, update on gateway_calls to lango_app;

create table platform_gateway_credentials (
  id uuid not null constraint platform_gateway_credentials__pkey primary key,
  profile_id uuid not null constraint platform_gateway_credentials__profile_fkey references gateway_profiles (id),
  dek_key_id text not null,
  dek_sealed bytea not null,
  sealed bytea not null,
  shown jsonb not null,
  set_at timestamptz not null,
  retires_at timestamptz
);
create unique index platform_gateway_credentials__current on platform_gateway_credentials (profile_id) where retires_at is null;
create index platform_gateway_credentials__key on platform_gateway_credentials (dek_key_id);
comment on table platform_gateway_credentials is 'The platform''s secrets of gateways, visible outside of a tenant only. The columns are those of gateway_credentials.';

create table gateway_credentials (
  tenant_id uuid not null constraint gateway_credentials__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  profile_id uuid not null constraint gateway_credentials__profile_fkey references gateway_profiles (id),
  dek_key_id text not null,
  dek_sealed bytea not null,
  sealed bytea not null,
  shown jsonb not null,
  set_at timestamptz not null,
  retires_at timestamptz,
  constraint gateway_credentials__pkey primary key (tenant_id, id)
);
create unique index gateway_credentials__current on gateway_credentials (tenant_id, profile_id) where retires_at is null;
create index gateway_credentials__tenant on gateway_credentials (tenant_id, profile_id);
create index gateway_credentials__key on gateway_credentials (dek_key_id);
comment on table gateway_credentials is 'Secrets of tenants for gateways. The one without an end is used for calls; the others verify webhooks until they end.';
comment on column gateway_credentials.dek_sealed is 'The key that encrypts the secrets, encrypted with a key-encryption key.';
comment on column gateway_credentials.shown is 'Of each secret, when it was set and its last four characters.';

create table platform_gateway_tokens (
  credential_id uuid not null constraint platform_gateway_tokens__pkey primary key
    constraint platform_gateway_tokens__credential_fkey references platform_gateway_credentials (id) on delete cascade,
  key_id text,
  sealed bytea,
  expires_at timestamptz not null,
  generation integer not null,
  renewing_until timestamptz
);
comment on table platform_gateway_tokens is 'The access token of a credential of the platform. The columns are those of gateway_tokens.';

create table gateway_tokens (
  tenant_id uuid not null constraint gateway_tokens__tenant_fkey references tenants (id) on update cascade,
  credential_id uuid not null,
  key_id text,
  sealed bytea,
  expires_at timestamptz not null,
  generation integer not null,
  renewing_until timestamptz,
  constraint gateway_tokens__pkey primary key (tenant_id, credential_id),
  constraint gateway_tokens__credential_fkey foreign key (tenant_id, credential_id) references gateway_credentials (tenant_id, id)
    on update cascade on delete cascade
);
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
  payouts_asked_for date,
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
comment on column tenant_gateways.account_ref is 'The account of payments for which no intent gives one.';
comment on column tenant_gateways.payouts_asked_for is 'The day for which payouts were asked for last by the schedule; of a weekly one its Monday.';
comment on column tenant_gateways.verified_at is 'When the balance of the shortcode was read with the tenant''s own initiator; needed in production.';

-- The day on which the period of a payout schedule began: at 06:00 of the tenant, of a weekly schedule on Monday.
create function payout_period(p_schedule text, p_time_zone text, p_at timestamptz)
returns date
language sql
stable
as $$
  select date_trunc(case p_schedule when 'weekly' then 'week' else 'day' end,
                    (p_at at time zone coalesce(p_time_zone, 'UTC')) - interval '6 hours')::date;
$$;

alter table platform_gateway_credentials enable row level security;
alter table platform_gateway_credentials force row level security;
create policy platform_gateway_credentials__outside on platform_gateway_credentials
  using (nullif(current_setting('app.tenant_id', true), '') is null);
alter table platform_gateway_tokens enable row level security;
alter table platform_gateway_tokens force row level security;
create policy platform_gateway_tokens__outside on platform_gateway_tokens
  using (nullif(current_setting('app.tenant_id', true), '') is null);
alter table gateway_credentials enable row level security;
alter table gateway_credentials force row level security;
create policy gateway_credentials__tenant on gateway_credentials
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
alter table gateway_tokens enable row level security;
alter table gateway_tokens force row level security;
create policy gateway_tokens__tenant on gateway_tokens
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
alter table tenant_gateways enable row level security;
alter table tenant_gateways force row level security;
create policy tenant_gateways__tenant on tenant_gateways
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy tenant_gateways__platform on tenant_gateways for select to lango_platform using (true);

grant select, insert, update on gateway_profiles, platform_gateway_credentials, platform_gateway_tokens, gateway_credentials,
  gateway_tokens, tenant_gateways to lango_app;
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

-- Halts: the operator's kill switches

create table platform_halts (
  scope text not null constraint platform_halts__pkey primary key
    constraint platform_halts__scope_check check (scope in ('collections', 'payouts', 'refunds')),
  is_on boolean not null,
  because text not null constraint platform_halts__because_check check (length(because) between 1 and 300),
  set_by text not null,
  set_at timestamptz not null
);
comment on table platform_halts is 'What is not sent for now, for every tenant. It is changed outside of a tenant only.';

create table halts (
  tenant_id uuid not null constraint halts__tenant_fkey references tenants (id) on update cascade,
  scope text not null constraint halts__scope_check check (scope in ('collections', 'payouts', 'refunds')),
  is_on boolean not null,
  because text not null constraint halts__because_check check (length(because) between 1 and 300),
  set_by text not null,
  set_at timestamptz not null,
  constraint halts__pkey primary key (tenant_id, scope)
);
comment on table halts is 'What is not sent for now, for a tenant.';

alter table platform_halts enable row level security;
alter table platform_halts force row level security;
create policy platform_halts__read on platform_halts for select using (true);
create policy platform_halts__outside on platform_halts using (nullif(current_setting('app.tenant_id', true), '') is null);
alter table halts enable row level security;
alter table halts force row level security;
create policy halts__tenant on halts using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy halts__platform on halts for select to lango_platform using (true);
grant select, insert, update on platform_halts, halts to lango_app;
grant select on platform_halts, halts to lango_platform;

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

-- The inbox: what gateways send, as it arrived

-- Reconciliation: what gateways and the treasury disagree about

create table exceptions (
  id uuid not null constraint exceptions__pkey primary key,
  class text not null constraint exceptions__class_check check (class in
    ('amount', 'balance', 'currency', 'duplicate', 'fee', 'late', 'missing_here', 'missing_there', 'status')),
  subject text not null,
  amount_minor bigint not null,
  currency text not null constraint exceptions__currency_check check (currency ~ '^[A-Z]{3}$'),
  ours jsonb not null,
  theirs jsonb not null,
  state text not null constraint exceptions__state_check check (state in ('open', 'closed')),
  raised_at timestamptz not null,
  proposed jsonb,
  line_id uuid,
  settlement_id uuid,
  resolution text constraint exceptions__resolution_check check (resolution in ('waived', 'posted', 'matched')),
  because text,
  receipt_ids uuid[],
  resolved_by text,
  resolved_at timestamptz,
  constraint exceptions__once unique (class, subject),
  constraint exceptions__resolved_check check (
    (state = 'closed') = (resolution is not null and because is not null and resolved_by is not null and resolved_at is not null))
);
create index exceptions__newest on exceptions (state, id desc);
comment on table exceptions is 'What gateways and the treasury disagree about. The platform owner has to decide.';
comment on column exceptions.subject is 'What it is about: one exception of each class.';
comment on column exceptions.ours is 'What the treasury has recorded.';
comment on column exceptions.theirs is 'What the gateway says.';
comment on column exceptions.proposed is 'The journal that would explain it: its tenant, purpose and lines. Null: no journal would, or it was posted already.';
comment on column exceptions.line_id is 'The line of a settlement that waits for a decision.';
comment on column exceptions.settlement_id is 'The settlement that waits for a decision.';
comment on column exceptions.receipt_ids is 'The receipts that explain it, of resolution matched.';
grant select, insert, update on exceptions to lango_app;

-- Settlements: what the card gateway pays out to the platform, and the charges that each contains

create table settlements (
  id uuid not null constraint settlements__pkey primary key,
  gateway_id text not null,
  gateway_status text not null,
  state text not null constraint settlements__state_check check (state in ('announced', 'paid', 'matched')),
  currency text not null constraint settlements__currency_check check (currency ~ '^[A-Z]{3}$'),
  effective_minor bigint not null,
  processed_minor bigint,
  fees_minor bigint,
  deductions_minor bigint,
  settles_to text not null constraint settlements__settles_to_check check (settles_to in ('bank', 'balance')),
  settled_at timestamptz not null,
  fetched_at timestamptz not null,
  listed_at timestamptz,
  next_check_at timestamptz,
  constraint settlements__gateway_unique unique (gateway_id)
);
create index settlements__newest on settlements (settled_at desc, id desc);
create index settlements__due on settlements (next_check_at) where next_check_at is not null;
comment on table settlements is 'What the card gateway pays out to the platform. Of the platform.';
comment on column settlements.state is 'announced: it is not paid out yet. paid: some of its charges are not matched with a receipt, or what it deducts is not explained. matched: all is.';
comment on column settlements.effective_minor is 'What arrives: what was collected, less fees and deductions.';
comment on column settlements.deductions_minor is 'Refunds and lost disputes that the gateway takes back; null: it does not say.';
comment on column settlements.settles_to is 'The bank account of the platform, or the transfer balance.';
comment on column settlements.listed_at is 'When all its lines were stored.';

create table settlement_lines (
  id uuid not null constraint settlement_lines__pkey primary key,
  settlement_id uuid not null constraint settlement_lines__settlement_fkey references settlements (id),
  transaction_id text not null,
  reference text not null,
  amount_minor bigint not null,
  fee_minor bigint,
  currency text not null,
  channel text,
  paid_at timestamptz,
  state text not null constraint settlement_lines__state_check check (state in
    ('open', 'matched', 'missing', 'differs', 'accepted', 'waived', 'replaced', 'proposed')),
  constraint settlement_lines__transaction_unique unique (settlement_id, transaction_id)
);
create index settlement_lines__transaction on settlement_lines (transaction_id);
comment on table settlement_lines is 'The charges of a settlement. The receipt of one is found by its number, in whatever tenant.';
comment on column settlement_lines.amount_minor is 'Without what the payer bore of the fee.';
comment on column settlement_lines.fee_minor is 'What the gateway kept; null: it does not say.';
comment on column settlement_lines.state is 'missing: no receipt has its number. differs: the receipt has another amount or currency, or was settled before. accepted: it was decided that it settles its receipt all the same. waived: it settles nothing. replaced: lines of the receipts that an operator named stand for it. proposed: the gateway lists no charges, and the operator has to confirm it.';

create table settlement_deductions (
  object_id uuid not null constraint settlement_deductions__pkey primary key,
  object_kind text not null constraint settlement_deductions__object_check check (object_kind in ('refund', 'dispute')),
  settlement_id uuid not null constraint settlement_deductions__settlement_fkey references settlements (id),
  amount_minor bigint not null constraint settlement_deductions__amount_check check (amount_minor > 0)
);
create index settlement_deductions__settlement on settlement_deductions (settlement_id);
comment on table settlement_deductions is 'The refunds and lost disputes that a settlement deducted, of whatever tenant, each once. Which ones is found by their sum: a later settlement may exchange them for others that come to the same.';

grant select, insert, update on settlements, settlement_lines to lango_app;
grant select, insert, delete on settlement_deductions to lango_app;
grant select on settlements, settlement_lines, settlement_deductions to lango_platform;

-- Reconciliation: adjustments that two operators decide, and runs

create table adjustments (
  id uuid not null constraint adjustments__pkey primary key,
  for_tenant_id uuid constraint adjustments__for_tenant_fkey references tenants (id) on update cascade,
  purpose text not null constraint adjustments__purpose_check check (purpose in
    ('top_up', 'withdrawal', 'variance', 'write_off', 'correction', 'suspense')),
  currency text not null constraint adjustments__currency_check check (currency ~ '^[A-Z]{3}$'),
  lines jsonb not null,
  because text not null constraint adjustments__because_check check (length(because) between 1 and 300),
  state text not null constraint adjustments__state_check check (state in ('waiting', 'posted', 'rejected')),
  exception_id uuid constraint adjustments__exception_fkey references exceptions (id),
  created_by text not null,
  created_at timestamptz not null,
  approved_by text,
  approved_at timestamptz,
  constraint adjustments__approved_check check ((state = 'posted') = (approved_by is not null and approved_at is not null)),
  constraint adjustments__two_check check (approved_by <> created_by)
);
create index adjustments__exception on adjustments (exception_id) where exception_id is not null;
create unique index adjustments__waiting on adjustments (exception_id) where state = 'waiting';
comment on table adjustments is 'Journals that an operator asks for and another one approves.';
comment on column adjustments.for_tenant_id is 'The tenant whose accounts it changes; null: of the platform alone.';
comment on column adjustments.lines is 'Side, owner, code and amount of each line.';
comment on column adjustments.exception_id is 'The exception that it resolves.';

create table runs (
  id uuid not null constraint runs__pkey primary key,
  kind text not null constraint runs__kind_check check (kind in ('settlements', 'transactions', 'balances', 'expectations')),
  from_at timestamptz not null,
  to_at timestamptz not null,
  state text not null constraint runs__state_check check (state in ('waiting', 'done', 'failed')),
  found integer,
  failure text,
  created_by text not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint runs__range_check check (from_at <= to_at),
  constraint runs__ended_check check ((state = 'waiting') = (ended_at is null))
);
create index runs__due on runs (created_at) where state = 'waiting';
comment on table runs is 'Comparisons of what the gateways have with what the treasury has recorded.';
comment on column runs.found is 'How many settlements, or charges, refunds and disputes, the gateway listed.';
comment on column runs.failure is 'Why it failed: a code of a failure, or internal.';

create table statement_lines (
  id uuid not null constraint statement_lines__pkey primary key,
  source text not null constraint statement_lines__source_check check (source = 'bank' or source ~ '^[0-9]{5,10}$'),
  currency text not null constraint statement_lines__currency_check check (currency ~ '^[A-Z]{3}$'),
  file_hash bytea not null,
  line integer not null,
  at timestamptz not null,
  amount_minor bigint not null constraint statement_lines__amount_check check (amount_minor <> 0),
  reference text not null,
  description text not null,
  account_ref text,
  payer text,
  nth bigint not null,
  object_id uuid,
  imported_at timestamptz not null,
  constraint statement_lines__line_unique unique (source, file_hash, line),
  constraint statement_lines__once unique (source, currency, at, amount_minor, reference, nth)
);
create index statement_lines__object on statement_lines (object_id) where object_id is not null;
create index statement_lines__open on statement_lines (source, at) where object_id is null;
comment on table statement_lines is 'Lines of statements of the platform''s bank account and of shortcodes, each once.';
comment on column statement_lines.amount_minor is 'What came; negative: what left.';
comment on column statement_lines.account_ref is 'The account code that the payment named; empty: it named something else; null: the statement does not say it.';
comment on column statement_lines.payer is 'The phone that paid, in full or masked; empty: erased with its owner; null: not said, or object_id is known.';
comment on column statement_lines.nth is 'Of lines that are equal the first, the second, and so on: files overlap.';
comment on column statement_lines.object_id is 'The settlement or the receipt that it is about; null: not known.';

grant select, insert, update on adjustments, runs, statement_lines to lango_app;
grant select on statement_lines to lango_platform;

-- The balances of the platform's accounts.
create function platform_balances()
returns table (code text, currency text, balance_minor bigint)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select a.code, a.currency, sum(b.balance_minor)::bigint from ledger_accounts a join ledger_balances b on b.account_id = a.id
   where a.tenant_id is null group by a.code, a.currency
$$;
alter function platform_balances() owner to lango_lookup;
revoke execute on function platform_balances() from public;
grant execute on function platform_balances() to lango_app;

create table webhook_deliveries (
  id bigint generated always as identity constraint webhook_deliveries__pkey primary key,
  gateway text not null constraint webhook_deliveries__gateway_check check (gateway in ('mobile_money', 'card_gateway')),
  route text not null,
  profile_id uuid,
  token_hash text,
  object_key text not null,
  received_at timestamptz not null,
  remote_ip text not null,
  headers jsonb not null,
  raw bytea not null,
  trust text constraint webhook_deliveries__trust_check check (trust in ('signature', 'token', 'address', 'none')),
  delivery_key bytea not null,
  event_key text,
  status text not null constraint webhook_deliveries__status_check check (status in ('received', 'done', 'ignored', 'parked')),
  tries integer not null default 0,
  error text,
  duplicates integer not null default 0,
  ended_at timestamptz,
  constraint webhook_deliveries__delivery_key_unique unique (delivery_key)
);
create index webhook_deliveries__due on webhook_deliveries (object_key, id) where status = 'received';
create index webhook_deliveries__event on webhook_deliveries (event_key) where event_key is not null;
create index webhook_deliveries__object on webhook_deliveries (object_key, id);
create index webhook_deliveries__status on webhook_deliveries (status, id);
create index webhook_deliveries__old on webhook_deliveries (received_at) where status in ('done', 'ignored');
create index webhook_deliveries__untrusted on webhook_deliveries (received_at) where status = 'ignored' and trust = 'none';
comment on table webhook_deliveries is 'Requests of gateways, stored before they are answered. They have no tenant: nothing in a payload names it. Not partitioned, since delivery_key is unique over all.';
comment on column webhook_deliveries.token_hash is 'SHA-256 in hex of the token in the address; the token is not stored.';
comment on column webhook_deliveries.object_key is 'Deliveries of one object are applied in the order of their ids.';
comment on column webhook_deliveries.delivery_key is 'SHA-256 of gateway, route, token and body: the same bytes again are a duplicate.';
comment on column webhook_deliveries.event_key is 'event|object id|status, of events that can happen once only.';
comment on column webhook_deliveries.trust is 'How far the sender is trusted; null until it is applied.';
comment on column webhook_deliveries.error is 'Why it is parked or ignored, or the last error of applying it.';

grant select, insert, update, delete on webhook_deliveries to lango_app;

-- Standing orders

create table standing_orders (
  tenant_id uuid not null constraint standing_orders__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  payee text not null constraint standing_orders__payee_check check (payee in ('tenant', 'platform')),
  status text not null constraint standing_orders__status_check check (status in
    ('requested', 'consent_pending', 'active', 'ended', 'stopped', 'failed')),
  phone text not null,
  amount_minor bigint not null constraint standing_orders__amount_check check (amount_minor > 0),
  currency text not null,
  frequency text not null constraint standing_orders__frequency_check check (frequency in
    ('daily', 'weekly', 'monthly', 'quarterly', 'half_yearly', 'yearly')),
  start_on date not null,
  end_on date not null,
  description text not null,
  shortcode text not null,
  account_code text not null,
  gateway_ref text,
  failure_code text,
  executions integer not null default 0,
  last_executed_at timestamptz,
  needs_replacement boolean not null default false,
  version integer not null constraint standing_orders__version_check check (version >= 1),
  created_by_kind text not null,
  created_by text not null,
  idempotency_key text,
  fingerprint bytea not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint standing_orders__pkey primary key (tenant_id, id),
  constraint standing_orders__idempotency_unique unique (tenant_id, created_by_kind, created_by, idempotency_key),
  constraint standing_orders__days_check check (start_on <= end_on),
  constraint standing_orders__ended_check check ((ended_at is null) = (status in ('requested', 'consent_pending', 'active')))
);
create index standing_orders__over on standing_orders (end_on, id) where ended_at is null;
comment on table standing_orders is 'Payments that a payer''s wallet makes again and again, once the payer consented on the phone.';
comment on column standing_orders.payee is 'tenant: for its own trade. platform: the tenant pays its bills.';
comment on column standing_orders.account_code is 'The account that its executions name; also in locators.';
comment on column standing_orders.gateway_ref is 'The id that the gateway gave the request; its callback names it.';
comment on column standing_orders.needs_replacement is 'The amount or the interval of the bills is another one now: the payer has to consent to a new order.';
comment on column standing_orders.ended_at is 'When it was over. An execution makes a failed one active again, and of a stopped or ended one it is flagged.';

alter table standing_orders enable row level security;
alter table standing_orders force row level security;
create policy standing_orders__tenant on standing_orders using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy standing_orders__platform on standing_orders for select to lango_platform using (true);
grant select, insert, update, delete on standing_orders to lango_app;
grant select on standing_orders to lango_platform;

-- Card plans

create table card_plans (
  tenant_id uuid not null constraint card_plans__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  payee text not null constraint card_plans__payee_check check (payee in ('tenant', 'platform')),
  status text not null constraint card_plans__status_check check (status in ('creating', 'active', 'failed')),
  name text not null,
  frequency text not null constraint card_plans__frequency_check check (frequency in
    ('daily', 'weekly', 'monthly', 'quarterly', 'half_yearly', 'yearly')),
  amount_minor bigint not null constraint card_plans__amount_check check (amount_minor between 1 and 1000000000000),
  currency text not null constraint card_plans__currency_check check (currency ~ '^[A-Z]{3}$'),
  plan_code text,
  failure_code text,
  created_by_kind text not null,
  created_by text not null,
  idempotency_key text,
  fingerprint bytea not null,
  created_at timestamptz not null,
  constraint card_plans__pkey primary key (tenant_id, id),
  constraint card_plans__idempotency_unique unique (tenant_id, created_by_kind, created_by, idempotency_key),
  constraint card_plans__code_check check ((status = 'active') = (plan_code is not null))
);
comment on table card_plans is 'Amounts that the card gateway charges to cards at an interval.';
comment on column card_plans.payee is 'tenant: for its own trade. platform: the tenant pays its bills.';
comment on column card_plans.status is 'creating: the gateway has not answered, and is never asked again. Nothing is charged by a plan alone.';
comment on column card_plans.plan_code is 'The code of the plan at the gateway; also in locators.';

alter table card_plans enable row level security;
alter table card_plans force row level security;
create policy card_plans__tenant on card_plans using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy card_plans__platform on card_plans for select to lango_platform using (true);
grant select, insert, update, delete on card_plans to lango_app;
grant select on card_plans to lango_platform;

-- Card subscriptions, and the cards that they charge

create table card_authorizations (
  tenant_id uuid not null constraint card_authorizations__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  payee text not null constraint card_authorizations__payee_check check (payee in ('tenant', 'platform')),
  user_id uuid,
  customer_code text not null,
  brand text not null,
  last4 text not null constraint card_authorizations__last4_check check (last4 ~ '^[0-9]{4}$'),
  exp_month smallint not null constraint card_authorizations__month_check check (exp_month between 1 and 12),
  exp_year smallint not null,
  code_key_id text not null,
  code_sealed bytea not null,
  last_used_at timestamptz not null,
  created_at timestamptz not null,
  constraint card_authorizations__pkey primary key (tenant_id, id),
  constraint card_authorizations__card_unique unique (tenant_id, payee, customer_code, brand, last4, exp_year, exp_month)
);
create index card_authorizations__key on card_authorizations (code_key_id);
create index card_authorizations__user on card_authorizations (user_id) where user_id is not null;
comment on table card_authorizations is 'Cards that paid once, and that can be charged again.';
comment on column card_authorizations.payee is 'tenant: it paid for the tenant''s trade. platform: it paid the tenant''s bills. It is charged for this payee only.';
comment on column card_authorizations.user_id is 'The person whose payment it was; the row is deleted with the person.';
comment on column card_authorizations.code_sealed is 'The code that charges the card, encrypted.';

alter table card_authorizations enable row level security;
alter table card_authorizations force row level security;
create policy card_authorizations__tenant on card_authorizations using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy card_authorizations__platform on card_authorizations for select to lango_platform using (true);
grant select, insert, update, delete on card_authorizations to lango_app;
grant select (tenant_id, id, payee, user_id, customer_code, brand, last4, exp_month, exp_year, last_used_at, created_at)
  on card_authorizations to lango_platform;

create table card_subscriptions (
  tenant_id uuid not null constraint card_subscriptions__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  payee text not null constraint card_subscriptions__payee_check check (payee in ('tenant', 'platform')),
  status text not null constraint card_subscriptions__status_check check (status in
    ('creating', 'active', 'attention', 'non_renewing', 'disabled', 'completed', 'failed')),
  plan_id uuid not null,
  authorization_id uuid not null,
  customer_code text not null,
  subscription_code text,
  email_token_key_id text,
  email_token_sealed bytea,
  next_payment_at timestamptz,
  failure_code text,
  is_stopped_here boolean not null default false,
  executions integer not null default 0,
  last_executed_at timestamptz,
  version integer not null constraint card_subscriptions__version_check check (version >= 1),
  created_by_kind text not null,
  created_by text not null,
  idempotency_key text,
  fingerprint bytea not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint card_subscriptions__pkey primary key (tenant_id, id),
  constraint card_subscriptions__plan_fkey foreign key (tenant_id, plan_id) references card_plans (tenant_id, id) on update cascade,
  constraint card_subscriptions__idempotency_unique unique (tenant_id, created_by_kind, created_by, idempotency_key),
  constraint card_subscriptions__token_check check ((email_token_key_id is null) = (email_token_sealed is null)),
  constraint card_subscriptions__ended_check check ((ended_at is not null) = (status in ('disabled', 'completed', 'failed')))
);
create unique index card_subscriptions__payer on card_subscriptions (tenant_id, plan_id, customer_code) where ended_at is null;
create index card_subscriptions__key on card_subscriptions (email_token_key_id) where email_token_key_id is not null;
create index card_subscriptions__creating on card_subscriptions (created_at, id) where status = 'creating';
comment on table card_subscriptions is 'Cards that the gateway charges by a plan.';
comment on column card_subscriptions.authorization_id is 'The card. Its row is deleted with its person and its tenant; the subscription is stopped at the gateway then.';
comment on column card_subscriptions.customer_code is 'The gateway''s name of the payer: with the plan it says whose charge it is.';
comment on column card_subscriptions.subscription_code is 'The gateway''s; also in locators. Null until the gateway answers or sends an event.';
comment on column card_subscriptions.is_stopped_here is 'Whether it was stopped here, and not by its payer at the gateway.';
comment on column card_subscriptions.email_token_sealed is 'The secret that ends and resumes it, encrypted.';

alter table card_subscriptions enable row level security;
alter table card_subscriptions force row level security;
create policy card_subscriptions__tenant on card_subscriptions using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy card_subscriptions__platform on card_subscriptions for select to lango_platform using (true);
grant select, insert, update, delete on card_subscriptions to lango_app;
grant select (tenant_id, id, payee, status, plan_id, authorization_id, customer_code, subscription_code, email_token_key_id, next_payment_at, failure_code,
  executions, last_executed_at, version, created_by_kind, created_by, created_at, ended_at) on card_subscriptions to lango_platform;

-- Payment pages

create table payment_pages (
  tenant_id uuid not null constraint payment_pages__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  status text not null constraint payment_pages__status_check check (status in ('creating', 'active', 'failed')),
  name text not null,
  description text not null,
  amount_minor bigint constraint payment_pages__amount_check check (amount_minor between 1 and 1000000000000),
  currency text not null constraint payment_pages__currency_check check (currency ~ '^[A-Z]{3}$'),
  metadata jsonb not null,
  link text,
  failure_code text,
  created_by_kind text not null,
  created_by text not null,
  idempotency_key text,
  fingerprint bytea not null,
  created_at timestamptz not null,
  constraint payment_pages__pkey primary key (tenant_id, id),
  constraint payment_pages__idempotency_unique unique (tenant_id, created_by_kind, created_by, idempotency_key),
  constraint payment_pages__link_check check ((status = 'active') = (link is not null))
);
comment on table payment_pages is 'Pages of the card gateway where anybody pays a tenant. A token in the metadata of their charges, of which locators have the hash, names the page.';
comment on column payment_pages.status is 'creating: the gateway has not answered, and is never asked again.';
comment on column payment_pages.amount_minor is 'Null: the payer chooses it.';

alter table payment_pages enable row level security;
alter table payment_pages force row level security;
create policy payment_pages__tenant on payment_pages using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy payment_pages__platform on payment_pages for select to lango_platform using (true);
grant select, insert, update, delete on payment_pages to lango_app;
grant select on payment_pages to lango_platform;

-- Refunds: money that is returned to its payer, and what is held for it.

create table refunds (
  tenant_id uuid not null constraint refunds__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  receipt_id uuid not null,
  payment_id uuid,
  origin text not null constraint refunds__origin_check check (origin in ('request', 'gateway')),
  method text not null constraint refunds__method_check check (method in ('card', 'reversal', 'payout')),
  amount_minor bigint not null constraint refunds__amount_check check (amount_minor between 1 and 1000000000000),
  currency text not null constraint refunds__currency_check check (currency ~ '^[A-Z]{3}$'),
  status text not null constraint refunds__status_check check (status in
    ('requested', 'submitting', 'unknown', 'pending', 'processing', 'needs_attention', 'failed', 'processed')),
  rank smallint not null,
  reason text not null,
  customer_note text,
  gateway_ref text,
  originator_id text,
  failure_code text,
  fee_minor bigint constraint refunds__fee_check check (fee_minor >= 0),
  needs_review boolean not null default false,
  proposed_by text,
  proposed_at timestamptz,
  checks integer not null default 0,
  submitted_at timestamptz,
  next_check_at timestamptz,
  version integer not null constraint refunds__version_check check (version >= 1),
  created_by_kind text not null,
  created_by text not null,
  idempotency_key text,
  fingerprint bytea not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint refunds__pkey primary key (tenant_id, id),
  constraint refunds__receipt_fkey foreign key (tenant_id, receipt_id) references receipts (tenant_id, id) on update cascade,
  constraint refunds__payment_fkey foreign key (tenant_id, payment_id) references payments (tenant_id, id) on update cascade,
  constraint refunds__idempotency_unique unique (tenant_id, created_by_kind, created_by, idempotency_key),
  constraint refunds__ended_check check ((ended_at is not null) = (status in ('failed', 'processed')))
);
create index refunds__newest on refunds (tenant_id, id desc);
create index refunds__receipt on refunds (tenant_id, receipt_id, id);
create index refunds__payment on refunds (tenant_id, payment_id) where payment_id is not null;
create index refunds__due on refunds (next_check_at) where next_check_at is not null;
create index refunds__open on refunds (method, currency) where ended_at is null;
create index refunds__number on refunds (gateway_ref) where gateway_ref is not null;
create index refunds__review on refunds (id) where needs_review;
create index refunds__originator on refunds (tenant_id, originator_id) where originator_id is not null;
comment on table refunds is 'Money that is returned to its payer: by a refund of the card gateway, a reversal or a payout of mobile money.';
comment on column refunds.payment_id is 'Null: of what the receipt has beside payments, or of several payments.';
comment on column refunds.origin is 'gateway: it was made there, without a request here.';
comment on column refunds.rank is 'The order of the statuses. It falls only where a refund that failed was processed after all.';
comment on column refunds.gateway_ref is 'The id that the gateway gave it. Null: not known; the card gateway does not name it in its events.';
comment on column refunds.originator_id is 'The id of the request to the mobile-money gateway: ours, or the one that the gateway gave it.';
comment on column refunds.proposed_by is 'The operator who says that it failed; another one has to agree.';
comment on column refunds.needs_review is 'The gateway did not say what became of it: the platform owner has to decide.';

create table receipt_holds (
  tenant_id uuid not null constraint receipt_holds__tenant_fkey references tenants (id) on update cascade,
  object_kind text not null constraint receipt_holds__object_check check (object_kind in ('refund', 'dispute')),
  object_id uuid not null,
  position smallint not null,
  receipt_id uuid not null,
  payment_id uuid,
  source text not null constraint receipt_holds__source_check check (source in ('suspense', 'unapplied', 'income', 'payment')),
  amount_minor bigint not null constraint receipt_holds__amount_check check (amount_minor > 0),
  pending_minor bigint not null default 0 constraint receipt_holds__pending_check check (pending_minor between 0 and amount_minor),
  state text not null constraint receipt_holds__state_check check (state in ('held', 'released', 'returned')),
  constraint receipt_holds__pkey primary key (tenant_id, object_id, position),
  constraint receipt_holds__receipt_fkey foreign key (tenant_id, receipt_id) references receipts (tenant_id, id) on update cascade,
  constraint receipt_holds__payment_fkey foreign key (tenant_id, payment_id) references payments (tenant_id, id) on update cascade
);
create index receipt_holds__receipt on receipt_holds (tenant_id, receipt_id);
create index receipt_holds__payment on receipt_holds (tenant_id, payment_id) where payment_id is not null;
comment on table receipt_holds is 'What a refund or a dispute takes, by where the money is. The parts of one add up to its amount.';
comment on column receipt_holds.source is 'suspense: not allocated. payment: of the tenant''s own trade. unapplied, income: paid to the platform.';
comment on column receipt_holds.payment_id is 'Of source payment the payment, or null of what the tenant owes beyond the receipt; of source income that of a bill.';
comment on column receipt_holds.pending_minor is 'What of it was not released to the tenant yet: a hold that is released goes back there.';

create table disputes (
  tenant_id uuid not null constraint disputes__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  gateway_id text not null,
  receipt_id uuid not null,
  payment_id uuid,
  amount_minor bigint not null constraint disputes__amount_check check (amount_minor > 0),
  currency text not null constraint disputes__currency_check check (currency ~ '^[A-Z]{3}$'),
  status text not null constraint disputes__status_check check (status in ('open', 'reminded', 'won', 'lost')),
  rank smallint not null,
  resolution text,
  category text,
  due_at timestamptz,
  note text,
  proposed_as text constraint disputes__proposed_check check (proposed_as in ('won', 'lost')),
  proposed_by text,
  proposed_at timestamptz,
  version integer not null constraint disputes__version_check check (version >= 1),
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint disputes__pkey primary key (tenant_id, id),
  constraint disputes__gateway_unique unique (tenant_id, gateway_id),
  constraint disputes__receipt_fkey foreign key (tenant_id, receipt_id) references receipts (tenant_id, id) on update cascade,
  constraint disputes__payment_fkey foreign key (tenant_id, payment_id) references payments (tenant_id, id) on update cascade,
  constraint disputes__ended_check check ((ended_at is not null) = (status in ('won', 'lost')))
);
create index disputes__newest on disputes (tenant_id, id desc);
create index disputes__receipt on disputes (tenant_id, receipt_id);
create index disputes__open on disputes (due_at) where status in ('open', 'reminded');
comment on table disputes is 'Claims of payers at their banks that a payment was not due: chargebacks.';
comment on column disputes.note is 'What the tenant says about it, for the platform owner, who answers at the gateway.';
comment on column disputes.due_at is 'Without an answer until then it is lost.';
comment on column disputes.proposed_by is 'The operator who says how it ended; another one has to agree.';

alter table disputes enable row level security;
alter table disputes force row level security;
create policy disputes__tenant on disputes using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy disputes__platform on disputes for select to lango_platform using (true);

grant select, insert, update, delete on disputes to lango_app;
grant select on disputes to lango_platform;

alter table refunds enable row level security;
alter table refunds force row level security;
create policy refunds__tenant on refunds using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy refunds__platform on refunds for select to lango_platform using (true);

alter table receipt_holds enable row level security;
alter table receipt_holds force row level security;
create policy receipt_holds__tenant on receipt_holds using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy receipt_holds__platform on receipt_holds for select to lango_platform using (true);

grant select, insert, update, delete on refunds, receipt_holds to lango_app;
grant select on refunds, receipt_holds to lango_platform;

-- Removes a receipt that turned out to belong to another tenant, with its refunds, disputes and holds. Returns the removed rows by table, or
-- null if a part of the receipt is used; then nothing is removed.
create function give_receipt(p_tenant uuid, p_id uuid)
returns jsonb
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_given jsonb;
begin
  perform from receipts r
    where r.tenant_id = p_tenant and r.id = p_id and r.state = 'verified' and r.attempt_id is null and r.custody = 'platform'
      and r.allocated_minor = 0 and r.refunded_minor = 0 for update;
  if not found then
    return null;
  end if;
  v_given := jsonb_build_object(
    'receipts', (select jsonb_agg(to_jsonb(r)) from receipts r where r.tenant_id = p_tenant and r.id = p_id),
    'refunds', (select jsonb_agg(to_jsonb(f)) from refunds f where f.tenant_id = p_tenant and f.receipt_id = p_id),
    'disputes', (select jsonb_agg(to_jsonb(d)) from disputes d where d.tenant_id = p_tenant and d.receipt_id = p_id),
    'receipt_holds', (select jsonb_agg(to_jsonb(h)) from receipt_holds h where h.tenant_id = p_tenant and h.receipt_id = p_id));
  delete from receipt_holds h where h.tenant_id = p_tenant and h.receipt_id = p_id;
  delete from disputes d where d.tenant_id = p_tenant and d.receipt_id = p_id;
  delete from refunds f where f.tenant_id = p_tenant and f.receipt_id = p_id;
  delete from receipts r where r.tenant_id = p_tenant and r.id = p_id;
  return v_given;
end
$$;
alter function give_receipt(uuid, uuid) owner to lango_lookup;
revoke execute on function give_receipt(uuid, uuid) from public;
grant execute on function give_receipt(uuid, uuid) to lango_app;
grant select, delete on refunds, disputes, receipt_holds to lango_lookup;
create policy refunds__lookup on refunds to lango_lookup using (true);
create policy disputes__lookup on disputes to lango_lookup using (true);
create policy receipt_holds__lookup on receipt_holds to lango_lookup using (true);

-- Bills: what tenants pay to the platform

create table billing_methods (
  tenant_id uuid not null constraint billing_methods__pkey primary key
    constraint billing_methods__tenant_fkey references tenants (id) on update cascade,
  kind text not null constraint billing_methods__kind_check check (kind in ('none', 'push', 'standing_order', 'card_subscription')),
  phone text,
  email text,
  version integer not null,
  standing_order_id uuid,
  card_subscription_id uuid,
  updated_at timestamptz not null,
  constraint billing_methods__phone_check check ((kind = 'push') <= (phone is not null)),
  constraint billing_methods__order_check check ((kind = 'standing_order') = (standing_order_id is not null)),
  constraint billing_methods__card_check check ((kind = 'card_subscription') = (card_subscription_id is not null))
);
comment on table billing_methods is 'How the renewals of a tenant are collected. Without a row somebody pays each bill.';

create table withdrawn_operations (
  tenant_id uuid not null constraint withdrawn_operations__tenant_fkey references tenants (id) on update cascade,
  source_service text not null,
  operation_id uuid not null,
  withdrawn_at timestamptz not null,
  constraint withdrawn_operations__pkey primary key (tenant_id, source_service, operation_id)
);
create index withdrawn_operations__purge on withdrawn_operations (withdrawn_at);
comment on table withdrawn_operations is 'Operations that their service has closed, also before they were asked for here. Kept for 90 days.';

alter table billing_methods enable row level security;
alter table billing_methods force row level security;
create policy billing_methods__tenant on billing_methods using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy billing_methods__platform on billing_methods for select to lango_platform using (true);

alter table withdrawn_operations enable row level security;
alter table withdrawn_operations force row level security;
create policy withdrawn_operations__tenant on withdrawn_operations using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy withdrawn_operations__platform on withdrawn_operations for select to lango_platform using (true);

grant select, insert, update, delete on billing_methods, withdrawn_operations to lango_app;
grant select on billing_methods, withdrawn_operations to lango_platform;

-- Before two ids of a tenant are merged: whether of two intents of one operation or one Idempotency-Key the first keeps it. What is paid keeps
-- it, else what can still be paid, what a gateway may still collect, and what was asked for later.
create function keeps_operation(p_one intents, p_other intents)
returns boolean
language sql stable
set search_path = public, pg_temp
as $$
  select (p_one.received_minor, p_one.ended_at is null,
          exists (select from attempts where tenant_id = p_one.tenant_id and intent_id = p_one.id and ended_at is null),
          p_one.asked_at, p_one.id)
       > (p_other.received_minor, p_other.ended_at is null,
          exists (select from attempts where tenant_id = p_other.tenant_id and intent_id = p_other.id and ended_at is null),
          p_other.asked_at, p_other.id)
$$;
revoke execute on function keeps_operation(intents, intents) from public;

-- Before two ids of a tenant are merged: of two billing methods the one changed later stays, of two halts of a scope one that is on. Intents
-- all stay; of two of one operation the one that loses it is cancelled if it has received nothing, since the operation is paid once.
create function prepare_merge_of_payments(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  delete from intent_keys l using intents f, intent_keys k, intents d
   where (l.tenant_id, k.tenant_id) in ((p_from, p_to), (p_to, p_from))
     and (l.created_by_kind, l.created_by, l.idempotency_key) = (k.created_by_kind, k.created_by, k.idempotency_key)
     and (f.tenant_id, f.id) = (l.tenant_id, l.intent_id) and (d.tenant_id, d.id) = (k.tenant_id, k.intent_id) and keeps_operation(d, f);
  update intents f
     set operation_id = f.id, version = f.version + 1,
         status = case when f.ended_at is null and f.received_minor = 0 then 'cancelled' else f.status end,
         ended_at = case when f.received_minor = 0 then coalesce(f.ended_at, now()) else f.ended_at end
    from intents d
   where (f.tenant_id, d.tenant_id) in ((p_from, p_to), (p_to, p_from))
     and (f.source_service, f.operation_id) = (d.source_service, d.operation_id) and keeps_operation(d, f);
  -- What was withdrawn under one id is not paid under the other.
  update intents f set status = 'cancelled', ended_at = now(), version = f.version + 1 from withdrawn_operations w
   where (f.tenant_id, w.tenant_id) in ((p_from, p_to), (p_to, p_from)) and f.ended_at is null
     and (f.source_service, f.operation_id) = (w.source_service, w.operation_id);
  update standing_orders l set idempotency_key = null from standing_orders s
   where (l.tenant_id, s.tenant_id) in ((p_from, p_to), (p_to, p_from))
     and (l.created_by_kind, l.created_by, l.idempotency_key) = (s.created_by_kind, s.created_by, s.idempotency_key)
     and (l.created_at, l.tenant_id = p_to) < (s.created_at, s.tenant_id = p_to);
  delete from billing_methods l using billing_methods s
   where (l.tenant_id, s.tenant_id) in ((p_from, p_to), (p_to, p_from))
     and (l.updated_at, l.tenant_id = p_to) < (s.updated_at, s.tenant_id = p_to);
  delete from withdrawn_operations f using withdrawn_operations d
   where d.tenant_id = p_to and f.tenant_id = p_from
     and (f.source_service, f.operation_id) = (d.source_service, d.operation_id);
  delete from halts l using halts s
   where (l.tenant_id, s.tenant_id) in ((p_from, p_to), (p_to, p_from)) and l.scope = s.scope
     and (l.is_on, l.set_at, l.tenant_id = p_to) < (s.is_on, s.set_at, s.tenant_id = p_to);
  delete from receipts f using receipts d
   where f.tenant_id in (p_from, p_to) and d.tenant_id in (p_from, p_to) and f.tenant_id <> d.tenant_id and f.state = 'unverified'
     and (d.state = 'verified' or f.tenant_id = p_from) and (f.gateway, f.kind, f.receipt) = (d.gateway, d.kind, d.receipt);
  -- In one statement: a payment refers to both.
  with taken_along as (update receipts set tenant_id = p_to where tenant_id = p_from)
  update intents set tenant_id = p_to where tenant_id = p_from;
$$;
revoke execute on function prepare_merge_of_payments(uuid, uuid) from public;

-- Before two ids of a tenant are merged: of two refunds of one Idempotency-Key the later one keeps it.
create function prepare_merge_of_refunds(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  update refunds l set idempotency_key = null from refunds s
   where (l.tenant_id, s.tenant_id) in ((p_from, p_to), (p_to, p_from))
     and (l.created_by_kind, l.created_by, l.idempotency_key) = (s.created_by_kind, s.created_by, s.idempotency_key)
     and (l.created_at, l.tenant_id = p_to) < (s.created_at, s.tenant_id = p_to);
$$;
revoke execute on function prepare_merge_of_refunds(uuid, uuid) from public;

-- Payouts: money out

create table payout_batches (
  tenant_id uuid not null constraint payout_batches__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  created_by_kind text not null,
  created_by text not null,
  idempotency_key text not null,
  fingerprint bytea not null,
  sent_at timestamptz,
  created_at timestamptz not null,
  constraint payout_batches__pkey primary key (tenant_id, id)
);
create unique index payout_batches__idempotency on payout_batches (tenant_id, created_by_kind, created_by, idempotency_key);
comment on table payout_batches is 'Bulk requests: payouts that were accepted together.';
comment on column payout_batches.sent_at is 'When transfers of it were sent last: at most 100 at once, five seconds apart.';

create table payouts (
  tenant_id uuid not null constraint payouts__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  batch_id uuid,
  rail text not null constraint payouts__rail_check check (rail in ('card_gateway', 'mobile_money')),
  kind text not null constraint payouts__kind_check check (kind in
    ('recipient', 'customer', 'personal_till', 'business', 'own_working')),
  recipient_id uuid,
  recipient_code text,
  shortcode text,
  to_masked text not null,
  gross_minor bigint not null,
  net_minor bigint not null constraint payouts__net_check check (net_minor > 0),
  currency text not null constraint payouts__currency_check check (currency ~ '^[A-Z]{3}$'),
  status text not null constraint payouts__status_check check (status in
    ('awaiting_approval', 'approved', 'submitting', 'unknown', 'needs_otp', 'in_flight', 'failed', 'rejected', 'cancelled', 'paid',
     'reversed')),
  rank smallint not null,
  reference text not null constraint payouts__reference_check check (reference ~ '^out-[0-9a-f]{32}$'),
  transfer_code text,
  conversation_id text,
  receipt text,
  failure_code text,
  fee_minor bigint,
  sends smallint not null default 0,
  submitted_at timestamptz,
  paid_at timestamptz,
  next_check_at timestamptz,
  checks integer not null default 0,
  needs_review boolean not null default false,
  version integer not null constraint payouts__version_check check (version >= 1),
  created_by_kind text not null,
  created_by text not null,
  idempotency_key text,
  fingerprint bytea not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint payouts__pkey primary key (tenant_id, id),
  constraint payouts__reference_unique unique (tenant_id, reference),
  constraint payouts__idempotency_unique unique (tenant_id, created_by_kind, created_by, idempotency_key),
  constraint payouts__gross_check check (gross_minor >= net_minor),
  constraint payouts__rail_pair_check check ((rail = 'card_gateway') = (kind = 'recipient') and (rail = 'mobile_money') = (shortcode is not null)),
  constraint payouts__batch_fkey foreign key (tenant_id, batch_id) references payout_batches (tenant_id, id) on update cascade,
  constraint payouts__recipient_fkey foreign key (tenant_id, recipient_id) references recipients (tenant_id, id) on update cascade
);
create index payouts__newest on payouts (tenant_id, id desc);
create index payouts__due on payouts (next_check_at) where next_check_at is not null;
create index payouts__open on payouts (tenant_id, status) where ended_at is null;
create index payouts__batch on payouts (tenant_id, batch_id) where batch_id is not null;
create index payouts__recipient on payouts (tenant_id, recipient_id) where recipient_id is not null;
create index payouts__created on payouts (tenant_id, created_at);
create index payouts__submitted on payouts (tenant_id, submitted_at) where submitted_at is not null;
create index payouts__shortcode on payouts (tenant_id, shortcode, ended_at) where shortcode is not null;
create index payouts__transferred on payouts (paid_at) where rail = 'card_gateway' and paid_at is not null;
create index payouts__review on payouts (id) where needs_review;
create index payouts__receipt on payouts (shortcode, receipt) where receipt is not null;
comment on table payouts is 'Money out: from what the platform holds for a tenant to its recipient, or from the tenant''s own shortcode.';
comment on column payouts.rank is 'The order of the statuses. It falls only when nothing was sent.';
comment on column payouts.reference is 'What the gateway knows it by, stored before the call: the reference of a transfer, or our id of a mobile-money request.';
comment on column payouts.to_masked is 'Where it goes, as it is shown.';
comment on column payouts.receipt is 'The number that the mobile-money gateway gave it.';
comment on column payouts.fee_minor is 'What the gateway charged for it: the platform for a transfer, else the shortcode that paid. Null until it says so.';
comment on column payouts.sends is 'How often it was sent: a transfer that the gateway does not know after ten minutes is sent once more with its reference.';
comment on column payouts.paid_at is 'When it was booked as paid, also if its money came back since.';
comment on column payouts.next_check_at is 'When the gateway is asked again, or when it is sent.';
comment on column payouts.needs_review is 'The gateway did not say what became of it: the platform owner has to decide. What is held for it stays held.';

create table payout_lines (
  tenant_id uuid not null,
  payout_id uuid not null,
  position smallint not null,
  kind text not null constraint payout_lines__kind_check check (kind in ('gross', 'collection_fee', 'transfer_fee')),
  amount_minor bigint not null,
  constraint payout_lines__pkey primary key (tenant_id, payout_id, position),
  constraint payout_lines__payout_fkey foreign key (tenant_id, payout_id) references payouts (tenant_id, id) on update cascade
);
comment on table payout_lines is 'What a payout is made of: the gross amount, less fees. Their sum is the net amount.';

create table payout_approvals (
  tenant_id uuid not null,
  payout_id uuid not null,
  by_kind text not null,
  by text not null,
  decision text not null constraint payout_approvals__decision_check check (decision in
    ('approved', 'rejected', 'resolve_paid', 'resolve_failed')),
  because text,
  at timestamptz not null,
  constraint payout_approvals__pkey primary key (tenant_id, payout_id, by_kind, by, decision),
  constraint payout_approvals__payout_fkey foreign key (tenant_id, payout_id) references payouts (tenant_id, id) on update cascade
);
comment on table payout_approvals is 'Decisions of people about payouts. Of a payout that is resolved by hand, two of the platform owner.';

create table payout_targets (
  tenant_id uuid not null,
  payout_id uuid not null,
  destination text not null,
  account_ref text,
  command text not null,
  remarks text not null,
  constraint payout_targets__pkey primary key (tenant_id, payout_id),
  constraint payout_targets__payout_fkey foreign key (tenant_id, payout_id) references payouts (tenant_id, id) on update cascade
);
comment on table payout_targets is 'Where a mobile-money payout goes: the phone or shortcode, and what is written on it. Deleted with the tenant.';

alter table payout_batches enable row level security;
alter table payout_batches force row level security;
create policy payout_batches__tenant on payout_batches using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy payout_batches__platform on payout_batches for select to lango_platform using (true);

alter table payouts enable row level security;
alter table payouts force row level security;
create policy payouts__tenant on payouts using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy payouts__platform on payouts for select to lango_platform using (true);

alter table payout_lines enable row level security;
alter table payout_lines force row level security;
create policy payout_lines__tenant on payout_lines using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy payout_lines__platform on payout_lines for select to lango_platform using (true);

alter table payout_approvals enable row level security;
alter table payout_approvals force row level security;
create policy payout_approvals__tenant on payout_approvals using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy payout_approvals__platform on payout_approvals for select to lango_platform using (true);

alter table payout_targets enable row level security;
alter table payout_targets force row level security;
create policy payout_targets__tenant on payout_targets using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy payout_targets__platform on payout_targets for select to lango_platform using (true);

grant select, insert, update on payout_batches, payouts to lango_app;
grant select, insert, update, delete on payout_lines to lango_app;
grant select, insert, update on payout_approvals to lango_app;
grant select, insert on payout_targets to lango_app;
grant select on payout_batches, payouts, payout_lines, payout_approvals, payout_targets to lango_platform;

-- Before two ids of a tenant are merged: of two payouts or bulk requests of one Idempotency-Key the later one keeps it.
create function prepare_merge_of_payouts(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  update payouts l set idempotency_key = null from payouts s
   where (l.tenant_id, s.tenant_id) in ((p_from, p_to), (p_to, p_from))
     and (l.created_by_kind, l.created_by, l.idempotency_key) = (s.created_by_kind, s.created_by, s.idempotency_key)
     and (l.created_at, l.tenant_id = p_to) < (s.created_at, s.tenant_id = p_to);
  update payout_batches l set idempotency_key = l.id::text from payout_batches s
   where (l.tenant_id, s.tenant_id) in ((p_from, p_to), (p_to, p_from))
     and (l.created_by_kind, l.created_by, l.idempotency_key) = (s.created_by_kind, s.created_by, s.idempotency_key)
     and (l.created_at, l.tenant_id = p_to) < (s.created_at, s.tenant_id = p_to);
$$;
revoke execute on function prepare_merge_of_payouts(uuid, uuid) from public;

-- Before two ids of a tenant are merged: of two active recipients of one account the later one stays. Payouts that have not ended, and the
-- payout settings, name it from then on: what names a removed one would not be sent.
create function prepare_merge_of_recipients(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  update recipients l set revoked_at = now() from recipients s
   where (l.tenant_id, s.tenant_id) in ((p_from, p_to), (p_to, p_from))
     and l.revoked_at is null and s.revoked_at is null and l.account_fingerprint = s.account_fingerprint
     and (l.created_at, l.tenant_id = p_to) < (s.created_at, s.tenant_id = p_to);
  -- In one statement: a payout refers to its recipient and to its bulk request.
  with taken_along as (update recipients set tenant_id = p_to where tenant_id = p_from)
  update payout_batches set tenant_id = p_to where tenant_id = p_from;
  update payouts p set recipient_id = s.id from recipients l, recipients s
   where p.tenant_id = p_to and p.ended_at is null and (l.tenant_id, l.id) = (p.tenant_id, p.recipient_id)
     and l.revoked_at is not null and s.tenant_id = l.tenant_id and s.account_fingerprint = l.account_fingerprint and s.revoked_at is null;
  update tenant_gateways g
     set payout_config = g.payout_config || jsonb_build_object('recipient_id', s.id, 'recipient_code', s.recipient_code), version = g.version + 1
    from recipients l, recipients s
   where g.tenant_id in (p_from, p_to) and l.tenant_id = p_to and l.id::text = g.payout_config->>'recipient_id' and l.revoked_at is not null
     and s.tenant_id = l.tenant_id and s.account_fingerprint = l.account_fingerprint and s.revoked_at is null;
$$;
revoke execute on function prepare_merge_of_recipients(uuid, uuid) from public;

-- Before two ids of a tenant are merged: of two objects of one Idempotency-Key the later one keeps it.
create function prepare_merge_of_cards(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  update card_plans l set idempotency_key = null from card_plans s
   where (l.tenant_id, s.tenant_id) in ((p_from, p_to), (p_to, p_from))
     and (l.created_by_kind, l.created_by, l.idempotency_key) = (s.created_by_kind, s.created_by, s.idempotency_key)
     and (l.created_at, l.tenant_id = p_to) < (s.created_at, s.tenant_id = p_to);
  update payment_pages l set idempotency_key = null from payment_pages s
   where (l.tenant_id, s.tenant_id) in ((p_from, p_to), (p_to, p_from))
     and (l.created_by_kind, l.created_by, l.idempotency_key) = (s.created_by_kind, s.created_by, s.idempotency_key)
     and (l.created_at, l.tenant_id = p_to) < (s.created_at, s.tenant_id = p_to);
  update card_subscriptions l set idempotency_key = null from card_subscriptions s
   where (l.tenant_id, s.tenant_id) in ((p_from, p_to), (p_to, p_from))
     and (l.created_by_kind, l.created_by, l.idempotency_key) = (s.created_by_kind, s.created_by, s.idempotency_key)
     and (l.created_at, l.tenant_id = p_to) < (s.created_at, s.tenant_id = p_to);
  -- A card that both have: subscriptions keep naming the one under the id that stays.
  update card_subscriptions s set authorization_id = d.id from card_authorizations f, card_authorizations d
   where f.tenant_id = p_from and d.tenant_id = p_to and (s.tenant_id, s.authorization_id) = (f.tenant_id, f.id)
     and (f.payee, f.customer_code, f.brand, f.last4, f.exp_year, f.exp_month)
       = (d.payee, d.customer_code, d.brand, d.last4, d.exp_year, d.exp_month);
  delete from card_authorizations f using card_authorizations d
   where f.tenant_id = p_from and d.tenant_id = p_to
     and (f.payee, f.customer_code, f.brand, f.last4, f.exp_year, f.exp_month)
       = (d.payee, d.customer_code, d.brand, d.last4, d.exp_year, d.exp_month);
  -- A subscription refers to its plan.
  update card_plans set tenant_id = p_to where tenant_id = p_from;
$$;
revoke execute on function prepare_merge_of_cards(uuid, uuid) from public;

-- Before two ids of a tenant are merged (decision 0045).
create function prepare_merge(p_from uuid, p_to uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  select prepare_merge_of_ledger(p_from, p_to);
  select prepare_merge_of_gateways(p_from, p_to);
  -- Before the receipts are moved, and with them their refunds.
  select prepare_merge_of_refunds(p_from, p_to);
  -- Before the recipients are moved, and with them their payouts.
  select prepare_merge_of_payouts(p_from, p_to);
  select prepare_merge_of_recipients(p_from, p_to);
  select prepare_merge_of_cards(p_from, p_to);
  select prepare_merge_of_payments(p_from, p_to);
$$;
revoke execute on function prepare_merge(uuid, uuid) from public;

-- Rows of all tenants, and of the platform, whose value is not under the newest key-encryption key.

grant select (id, dek_key_id) on platform_gateway_credentials to lango_lookup;
grant select (tenant_id, id, dek_key_id) on gateway_credentials to lango_lookup;
grant select (tenant_id, id, pay_code_key_id) on intents to lango_lookup;
grant select (tenant_id, id, account_key_id) on recipients to lango_lookup;
create policy platform_gateway_credentials__lookup on platform_gateway_credentials for select to lango_lookup using (true);
create policy gateway_credentials__lookup on gateway_credentials for select to lango_lookup using (true);
create policy intents__lookup on intents for select to lango_lookup using (true);
create policy recipients__lookup on recipients for select to lango_lookup using (true);
grant select (tenant_id, id, email_token_key_id) on card_subscriptions to lango_lookup;
create policy card_subscriptions__lookup on card_subscriptions for select to lango_lookup using (true);

create function list_older_seals(p_newest text, p_limit integer)
returns table (place text, tenant_id uuid, id uuid)
language sql stable security definer
set search_path = public, pg_temp
as $$
  (select 'platform_gateway_credentials', null::uuid, c.id from platform_gateway_credentials c
    where c.dek_key_id < p_newest or c.dek_key_id > p_newest limit p_limit)
  union all
  (select 'gateway_credentials', c.tenant_id, c.id from gateway_credentials c
    where c.dek_key_id < p_newest or c.dek_key_id > p_newest limit p_limit)
  union all
  (select 'intents', i.tenant_id, i.id from intents i
    where i.pay_code_key_id < p_newest or i.pay_code_key_id > p_newest limit p_limit)
  union all
  (select 'recipients', r.tenant_id, r.id from recipients r
    where r.account_key_id < p_newest or r.account_key_id > p_newest limit p_limit)
  union all
  (select 'card_authorizations', a.tenant_id, a.id from card_authorizations a
    where a.code_key_id < p_newest or a.code_key_id > p_newest limit p_limit)
  union all
  (select 'card_subscriptions', s.tenant_id, s.id from card_subscriptions s
    where s.email_token_key_id < p_newest or s.email_token_key_id > p_newest limit p_limit)
  limit p_limit
$$;
alter function list_older_seals(text, integer) owner to lango_lookup;
revoke execute on function list_older_seals(text, integer) from public;
grant execute on function list_older_seals(text, integer) to lango_app;

-- Questions to the mobile-money gateway, whose answers come by a callback.

create table gateway_queries (
  tenant_id uuid not null constraint gateway_queries__tenant_fkey references tenants (id) on update cascade,
  id uuid not null,
  kind text not null constraint gateway_queries__kind_check check (kind in ('balance', 'status')),
  status text not null constraint gateway_queries__status_check check (status in
    ('submitting', 'awaiting', 'unknown', 'failed', 'answered')),
  shortcode text not null,
  receipt text,
  originator_id text,
  result jsonb,
  failure_code text,
  gateway_originator_id text,
  gateway_conversation_id text,
  created_by_kind text not null,
  created_by text not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint gateway_queries__pkey primary key (tenant_id, id),
  constraint gateway_queries__about_check check ((kind = 'balance') = (receipt is null and originator_id is null)),
  constraint gateway_queries__result_check check ((status = 'answered') = (result is not null)),
  constraint gateway_queries__ended_check check ((ended_at is not null) = (status in ('failed', 'answered')))
);
create index gateway_queries__balances on gateway_queries (tenant_id, shortcode, id desc) where kind = 'balance' and status = 'answered';
create index gateway_queries__receipt on gateway_queries (tenant_id, receipt, id desc) where receipt is not null;
create index gateway_queries__hints on gateway_queries (created_at) where created_by_kind = 'service';
comment on table gateway_queries is 'Questions about a transaction or the balances of a shortcode. The gateway answers by a callback.';
comment on column gateway_queries.receipt is 'The number of the receipt that a status query is about; else originator_id is set.';
comment on column gateway_queries.gateway_originator_id is 'The id that the gateway gave the question; its result names it.';

alter table gateway_queries enable row level security;
alter table gateway_queries force row level security;
create policy gateway_queries__tenant on gateway_queries using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy gateway_queries__platform on gateway_queries for select to lango_platform using (true);
grant select, insert, update, delete on gateway_queries to lango_app;
grant select on gateway_queries to lango_platform;

-- Removes receipts of the tenant that are not verified, with what was said of them: nothing rests on them. Returns how many.
create function remove_unverified_receipts(p_tenant uuid, p_ids uuid[])
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_removed uuid[];
begin
  if p_tenant is distinct from nullif(current_setting('app.tenant_id', true), '')::uuid then
    raise exception 'receipts of a tenant are removed inside this tenant';
  end if;
  with removed as (
    delete from receipts r where r.tenant_id = p_tenant and r.id = any (p_ids) and r.state = 'unverified' returning r.id
  )
  select coalesce(array_agg(id), '{}') into v_removed from removed;
  delete from evidence e where e.tenant_id = p_tenant and e.object_id = any (v_removed);
  return cardinality(v_removed);
end
$$;
alter function remove_unverified_receipts(uuid, uuid[]) owner to lango_lookup;
revoke execute on function remove_unverified_receipts(uuid, uuid[]) from public;
grant execute on function remove_unverified_receipts(uuid, uuid[]) to lango_app;
grant select, delete on evidence, callback_tokens to lango_lookup;
grant delete on locators to lango_lookup;
create policy evidence__lookup on evidence to lango_lookup using (true);
create policy callback_tokens__lookup on callback_tokens to lango_lookup using (true);
create policy locators__remove on locators for delete to lango_lookup using (true);

-- Erases phones, names and e-mails of a person in the intents and attempts of all tenants, and phones that the payer typed as the account
-- of a receipt or that a statement shows.
create function erase_payer(p_user uuid)
returns void
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_phones text[];
begin
  select array_agg(distinct a.phone) into v_phones from attempts a
    join intents i on i.tenant_id = a.tenant_id and i.id = a.intent_id where i.customer_user_id = p_user;
  update statement_lines s set payer = '' where s.payer = any (v_phones);
  update attempts a set phone = null from intents i
   where i.customer_user_id = p_user and (a.tenant_id, a.intent_id) = (i.tenant_id, i.id) and a.phone is not null;
  update receipts r set account_ref = null from payments p join intents i on (i.tenant_id, i.id) = (p.tenant_id, p.intent_id)
   where i.customer_user_id = p_user and (r.tenant_id, r.id) = (p.tenant_id, p.receipt_id)
     and r.account_ref ~ '^(\+?254|0)?[17][0-9]{8}$';
  update intents set customer = '{}' where customer_user_id = p_user and customer <> '{}';
  delete from card_authorizations where user_id = p_user;
end
$$;
alter function erase_payer(uuid) owner to lango_lookup;
revoke execute on function erase_payer(uuid) from public;
grant execute on function erase_payer(uuid) to lango_app;
grant select (tenant_id, id, customer_user_id, customer), update (customer) on intents to lango_lookup;
grant select (tenant_id, intent_id, phone), update (phone) on attempts to lango_lookup;
grant select (payer), update (payer) on statement_lines to lango_lookup;
grant select (tenant_id, intent_id, receipt_id) on payments to lango_lookup;
create policy intents__erase on intents for update to lango_lookup using (true);
create policy attempts__erase on attempts to lango_lookup using (true);
create policy payments__lookup on payments for select to lango_lookup using (true);
grant select (tenant_id, id, user_id, code_key_id), delete on card_authorizations to lango_lookup;
create policy card_authorizations__lookup on card_authorizations to lango_lookup using (true);

-- Removes tokens of callbacks that ended before a time, with their locators, of all tenants. Returns how many.
create function remove_ended_tokens(p_before timestamptz, p_limit integer)
returns integer
language sql security definer
set search_path = public, pg_temp
as $$
  with ended as (
    select t.tenant_id, t.id from callback_tokens t where t.expires_at < p_before order by t.expires_at limit p_limit
  ), located as (
    delete from locators l using ended t where (l.tenant_id, l.object_id) = (t.tenant_id, t.id) and l.kind = 'callback_token'
  ), removed as (
    delete from callback_tokens t using ended o where (t.tenant_id, t.id) = (o.tenant_id, o.id) returning 1
  )
  select count(*)::integer from removed
$$;
alter function remove_ended_tokens(timestamptz, integer) owner to lango_lookup;
revoke execute on function remove_ended_tokens(timestamptz, integer) from public;
grant execute on function remove_ended_tokens(timestamptz, integer) to lango_app;

-- Call it before rows of a deleted tenant are removed. It clears what names such a row in rows that are kept, and removes locators of such
-- rows and the callback addresses of the tenant's shortcode. Addresses of single calls expire by themselves, because payouts may be answered
-- later. Changes p_limit rows at most; returns how many.
create function prepare_erasure(p_tenant uuid, p_limit integer)
returns integer
language plpgsql
set search_path = public, pg_temp
as $$
declare
  v_changed integer;
  v_all integer := 0;
begin
  delete from callback_tokens where tenant_id = p_tenant and object_kind = 'shortcode';
  delete from locators where tenant_id = p_tenant and value = any (array(
    select l.value from locators l
     where l.tenant_id = p_tenant and (
         l.kind in ('account_code', 'pay_code', 'checkout_request', 'page_token', 'shortcode')
         or l.kind = 'reference' and starts_with(l.value, 'pay-')
         or l.kind = 'callback_token' and not exists (select from callback_tokens t where t.tenant_id = p_tenant and t.id = l.object_id))
     limit p_limit - v_all));
  get diagnostics v_changed = row_count;
  v_all := v_all + v_changed;
  update receipts set attempt_id = null where tenant_id = p_tenant and id = any (array(
    select r.id from receipts r where r.tenant_id = p_tenant and r.attempt_id is not null limit p_limit - v_all));
  get diagnostics v_changed = row_count;
  v_all := v_all + v_changed;
  update payments set intent_id = null where tenant_id = p_tenant and id = any (array(
    select p.id from payments p where p.tenant_id = p_tenant and p.intent_id is not null limit p_limit - v_all));
  get diagnostics v_changed = row_count;
  v_all := v_all + v_changed;
  update payouts set batch_id = null, recipient_id = null where tenant_id = p_tenant and id = any (array(
    select p.id from payouts p
     where p.tenant_id = p_tenant and (p.batch_id is not null or p.recipient_id is not null) limit p_limit - v_all));
  get diagnostics v_changed = row_count;
  return v_all + v_changed;
end
$$;
revoke execute on function prepare_erasure(uuid, integer) from public;
