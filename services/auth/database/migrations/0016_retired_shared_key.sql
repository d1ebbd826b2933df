-- breaking: no

-- The key that all services shared before keys had a caller reads tenants in its last hour. It no longer reads links of password resets.
update api_keys set permissions = '{tenants.read}' where caller is null;
