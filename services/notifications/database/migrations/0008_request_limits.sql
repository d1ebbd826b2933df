-- breaking: no
-- Services of other teams send through few keys and addresses: the channels' limits by tenant are the narrow ones.
update rate_limit_config set requests = 60000 where window_seconds = 60 and requests in (6000, 3000);
