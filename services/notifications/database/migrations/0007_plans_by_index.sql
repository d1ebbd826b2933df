-- breaking: no
-- A backlog can arrive faster than autovacuum counts it. A plan made for an empty table would scan the whole
-- table for each batch, until its connection hears of new statistics.
alter function claim_lane(uuid, jsonb, integer, timestamptz) set enable_seqscan = off;
alter function settle_deliveries(uuid, jsonb, timestamptz) set enable_seqscan = off;
