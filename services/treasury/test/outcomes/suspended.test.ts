import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { lockSuspended } from "../../src/receipts/receipt.store.ts";
import { openCounter } from "./counter.ts";

const counter = setUp(openCounter);

test("of a busy till a question locks only the receipts that came since its prompt, a hundred at most, the first first", async () => {
	const tenantId = await counter.tenant();
	const from = new Date("2027-03-01T08:00:00Z");
	const until = new Date("2027-03-02T08:00:00Z");
	const money = { shortcode: "600900", amountMinor: 50_000n };
	const locked = await inTenant(counter.db, tenantId, async (tx) => {
		await tx.query(
			`insert into receipts (tenant_id, id, gateway, kind, shortcode, channel, custody, amount_minor, currency, occurred_at, state, created_at)
			 select $1, gen_random_uuid(), 'mobile_money', 'collection', $2, 'account', 'tenant', $3, 'KES',
			   $4::timestamptz + minute * interval '1 minute', 'verified', $4 from generate_series(-50, 150) minute`,
			[tenantId, money.shortcode, money.amountMinor, from],
		);
		return lockSuspended(tx, { isTill: true, ...money, from, until });
	});
	const minutes = locked.map(({ occurredAt }) => (occurredAt.getTime() - from.getTime()) / 60_000);
	expect(minutes).toEqual(Array.from({ length: 100 }, (_, minute) => minute));
});
