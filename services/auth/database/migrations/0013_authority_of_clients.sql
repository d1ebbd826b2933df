-- breaking: no

-- Until now every client had the authority of the platform's own, so the clients that exist keep it. Each of them gets an audit row.
-- The seed sets both columns of the platform's own clients at every start.
alter table clients
  add column id_token_at_refresh boolean not null default true,
  add column first_party boolean not null default false;
update clients set first_party = true;
comment on column clients.id_token_at_refresh is 'Whether every refresh answers an ID token (OpenID Connect Core §12.2).';
comment on column clients.first_party is 'Whether its access tokens always carry the scope lango.api and every claim.';

select record_audit(jsonb_build_object('tenant_id', null, 'at', now(), 'action', 'client.changed', 'actor_user_id', null,
  'subject', client_id, 'before', null, 'after', jsonb_build_object('first_party', true), 'ip', null, 'request_id', null)) from clients;
