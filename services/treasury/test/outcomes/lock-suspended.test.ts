import { type Database, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { lockSuspended, lockUnboundReceipts } from "../../src/receipts/fitting-receipt.store.ts";
import type { Receipt } from "../../src/receipts/receipt.ts";
import { openCounter } from "./counter.ts";

const counter = setUp(openCounter);
const money = { shortcode: "600900", amountMinor: 50_000n };
const from = new Date("2027-03-01T08:00:00Z");

/** Adds a receipt of each minute from 50 before to 150 after a time, with what payers typed. */
const addEachMinute = (tx: Database, tenantId: string, accountRef: string | null) =>
	tx.query(
		`insert into receipts (tenant_id, id, gateway, kind, shortcode, channel, custody, amount_minor, currency, occurred_at, state,
		   created_at, account_ref)
		 select $1, ('00000000-0000-4000-8000-' || lpad((minute + 50)::text, 12, '0'))::uuid, 'mobile_money', 'collection', $2,
		   'account', 'tenant', $3, 'KES', $4::timestamptz + minute * interval '1 minute', 'verified', $4, $5
		   from generate_series(-50, 150) minute on conflict do nothing`,
		[tenantId, money.shortcode, money.amountMinor, from, accountRef],
	);
const minutesOf = (receipts: readonly Receipt[]) =>
	receipts.map(({ occurredAt }) => (occurredAt.getTime() - from.getTime()) / 60_000);
const firstHundred = Array.from({ length: 100 }, (_, minute) => minute);

test("of a busy till a question locks only the receipts that came since its prompt, a hundred at most, the first first", async () => {
	const tenantId = await counter.tenant();
	const until = new Date("2027-03-02T08:00:00Z");
	const locked = await inTenant(counter.db, tenantId, async (tx) => {
		await addEachMinute(tx, tenantId, null);
		return lockSuspended(tx, { isTill: true, ...money, from, until });
	});
	expect(minutesOf(locked)).toEqual(firstHundred);
});

test("of many payments with one account code a question locks only those since its prompt, a hundred at most", async () => {
	const tenantId = await counter.tenant();
	const locked = await inTenant(counter.db, tenantId, async (tx) => {
		await addEachMinute(tx, tenantId, "7K3QX9M2R0");
		const named = { accountRef: "7K3QX9M2R0", amountMinor: money.amountMinor, from };
		const elsewhere = await lockUnboundReceipts(tx, { ...named, shortcode: "600901" });
		return [...elsewhere, ...(await lockUnboundReceipts(tx, { ...named, shortcode: money.shortcode }))];
	});
	expect(minutesOf(locked)).toEqual(firstHundred);
});
