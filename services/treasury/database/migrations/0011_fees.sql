-- breaking: no

-- Whether the fee of a receipt is an estimate.

alter table receipts add column is_fee_estimated boolean not null default false;
comment on column receipts.is_fee_estimated is 'The card gateway has not said yet what it keeps.';
