-- breaking: no
-- Why we gave up an operation is kept apart from what the treasury said of its last attempt.

alter table billing_operations add column closed_because text;
comment on column billing_operations.closed_because is
  'Why we gave it up ourselves; null: we did not, or it was closed before this column, when the reason stood in failure';
