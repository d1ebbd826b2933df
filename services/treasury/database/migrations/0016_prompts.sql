-- breaking: no

-- A phone is asked for the same amount again after two minutes only.

comment on table prompt_guards is 'At most one live prompt on a phone for a shortcode, and one of an amount within two minutes, whichever tenant asks.';
comment on column prompt_guards.phone_hash is 'SHA-256 of the phone, or of the phone and the amount.';
