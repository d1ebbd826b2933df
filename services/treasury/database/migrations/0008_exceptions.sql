-- breaking: no

-- Reconciliation: what gateways and the treasury disagree about

create table exceptions (
  id uuid not null constraint exceptions__pkey primary key,
  class text not null constraint exceptions__class_check check (class in ('amount', 'currency')),
  subject text not null,
  amount_minor bigint not null,
  currency text not null constraint exceptions__currency_check check (currency ~ '^[A-Z]{3}$'),
  ours jsonb not null,
  theirs jsonb not null,
  state text not null constraint exceptions__state_check check (state in ('open', 'closed')),
  raised_at timestamptz not null,
  constraint exceptions__once unique (class, subject)
);
comment on table exceptions is 'What gateways and the treasury disagree about. The platform owner has to decide.';
comment on column exceptions.subject is 'What it is about: one exception of each class.';
comment on column exceptions.ours is 'What the treasury has recorded.';
comment on column exceptions.theirs is 'What the gateway says.';
grant select, insert, update on exceptions to lango_app;
