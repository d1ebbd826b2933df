import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import { estimateFee, type FeeRule, feeChannels } from "../src/fees/fee.ts";
import { listChannelFees } from "../src/summary/summary.store.ts";
import { addPayout } from "./payouts/add-payout.ts";
import { makeAvailable } from "./payouts/paying.ts";
import { addTrade, charge } from "./receive.ts";
import { openSettling } from "./settling.ts";

const till = setUp(openSettling);
const approved = { kind: "approved" } as const;
const submitted = { kind: "submitted" } as const;
const none = { hour: 0, day: 0, week: 0, older: 0 };
const summary = async () => (await till.asOperator("GET", "treasury-summary")).body;

test("the forecast of the float is the balance less what is sent and approved with the fees of its transfers, without what waits for approval", async () => {
	const { db } = till.database;
	const { uhai } = till.tenants;
	await till.charge();
	await till.settleNow();
	await till.charge();
	await makeAvailable(db, uhai.id, { amountMinor: 600_000n });
	const { "card.balance": balance = 0, "card.unsettled": unsettled } = await till.platform();
	// The gateway takes what is left of the gross amount after the fees of collections.
	await addPayout(db, uhai.id, { grossMinor: 10_000n, transferFeeMinor: 1_000n });
	const feesDueMinor = 500n;
	await addPayout(db, uhai.id, {
		...{ grossMinor: 20_500n, feesDueMinor, transferFeeMinor: 1_000n, said: [approved] },
	});
	await addPayout(db, uhai.id, {
		...{ grossMinor: 40_000n, transferFeeMinor: 1_000n, said: [approved, submitted] },
	});
	await addPayout(db, uhai.id, { grossMinor: 80_000n, said: [approved, submitted, { kind: "in_flight" }] });
	expect((await summary())["float"]).toEqual([
		{
			...{ currency: "KES", balance_minor: balance, unsettled_minor: unsettled },
			...{ waiting_minor: 10_000, approved_minor: 20_000, sent_minor: 120_000 },
			forecast_minor: balance - 140_000,
		},
	]);
});

test("fees are summed by channel, with how much more they are than estimated: as a charge states them, as a settlement corrects them, and as a transfer costs", async () => {
	const { db } = till.database;
	const { uhai } = till.tenants;
	await till.settleNow();
	const { fees: before } = (await summary()) as { fees: Array<{ channel: string; fee_minor: number }> };
	const keptBefore = before.find(({ channel }) => channel === "card")?.fee_minor ?? 0;
	const trade = await addTrade(db, uhai.id);
	await charge(db, trade, { feeMinor: 4_000n });
	await till.cards("PUT", "/_control/faults", [
		{ operation: "settle", fault: "settlement_fee_error", count: 1 },
	]);
	await till.charge();
	await till.settleNow();
	await makeAvailable(db, uhai.id, { amountMinor: 100_000n });
	const paid = { kind: "paid", feeMinor: 1_300n } as const;
	await addPayout(db, uhai.id, { transferFeeMinor: 1_000n, said: [approved, submitted, paid] });
	expect((await summary())["fees"]).toEqual([
		{ channel: "card", currency: "KES", fee_minor: keptBefore + 4_000 + 3_600, variance_minor: 500 + 100 },
		{ channel: "transfer", currency: "KES", fee_minor: 1_300, variance_minor: 300 },
	]);
});

test("what is unknown or parked is counted by its age", async () => {
	const { db } = till.database;
	await inTenant(db, till.tenants.uhai.id, (tx) =>
		tx.query("update payouts set submitted_at = now() - interval '2 days' where status = 'submitting'"),
	);
	await db.query(
		`insert into webhook_deliveries (gateway, route, object_key, received_at, remote_ip, headers, raw, delivery_key, status)
		 values ('card_gateway', 'events', 'x', now() - interval '30 days', '10.0.0.1', '{}', 'x', 'x', 'parked')`,
	);
	expect((await summary())["unresolved"]).toEqual({
		...{ attempt: none, refund: none },
		...{ payout: { ...none, week: 1 }, webhook: { ...none, older: 1 } },
	});
});

test("each count of the summary leads to its rows, of all tenants and of no other age", async () => {
	const { db } = till.database;
	const { uhai, duka } = till.tenants;
	await makeAvailable(db, duka.id, { amountMinor: 100_000n });
	const { id } = await addPayout(db, duka.id, { grossMinor: 5_000n, said: [approved, submitted] });
	await inTenant(db, duka.id, (tx) =>
		tx.query(
			"update payouts set submitted_at = now() - interval '8 days', needs_review = true where id = $1",
			[id],
		),
	);
	const waiting = { kind: "needs_otp", transferCode: "TRF_9" } as const;
	await addPayout(db, duka.id, { grossMinor: 6_000n, said: [approved, submitted, waiting] });
	const list = async (query: string) =>
		(await till.asOperator("GET", `unresolved?${query}`)).body["items"] as Array<Record<string, unknown>>;
	const { unresolved } = await summary();
	for (const [kind, counts] of Object.entries(unresolved as Record<string, typeof none>))
		for (const [age, count] of Object.entries(counts)) {
			const path =
				kind === "webhook" ? `inbox?status=parked&age=${age}` : `unresolved?kind=${kind}&age=${age}`;
			const { items } = (await till.asOperator("GET", path)).body as { items: unknown[] };
			expect([kind, age, items.length]).toEqual([kind, age, count]);
		}
	expect((unresolved as Record<string, unknown>)["payout"]).toEqual({ ...none, hour: 1, week: 1, older: 1 });
	expect(await list("kind=payout&age=older")).toMatchObject([
		{ id, tenant_id: duka.id, status: "submitting", needs_review: true, currency: "KES" },
	]);
	const others = await list("kind=payout&needs_review=false");
	expect(new Map(others.map(({ status, tenant_id: tenantId }) => [status, tenantId]))).toEqual(
		new Map([
			["submitting", uhai.id],
			["needs_otp", duka.id],
		]),
	);
	expect(await list("kind=payout")).toHaveLength(3);
});

test("only an operator reads the summary", async () => {
	const { uhai } = till.tenants;
	const asked = { method: "GET", url: "/api/v1/platform/treasury-summary", token: till.token(uhai, "admin") };
	expect(await till.call(asked)).toMatchObject({ status: 403 });
});

const rule: fc.Arbitrary<FeeRule> = fc.record(
	{
		permille: fc.bigInt({ min: 0n, max: 1_000n }),
		fixedMinor: fc.bigInt({ min: 0n, max: 10_000n }),
		capMinor: fc.bigInt({ min: 0n, max: 1_000_000n }),
	},
	{ requiredKeys: ["permille", "fixedMinor"] },
);
const collected = fc.record({
	channel: fc.constantFrom(...feeChannels),
	// Small ones too: those are rounded.
	amount: fc.oneof(fc.bigInt({ min: 1n, max: 2_000n }), fc.bigInt({ min: 1n, max: 1_000_000_000_000n })),
});

test("for any table of fees and any amounts, the summary estimates what a charge was estimated at", async () => {
	const { db } = till.database;
	const { uhai } = till.tenants;
	const table = fc.record({ card: rule, bank_transfer: rule, mobile_money: rule, ussd: rule });
	let day = Date.parse("2040-01-01");
	const property = fc.asyncProperty(table, fc.array(collected, { minLength: 1 }), async (rules, charges) => {
		day += 86_400_000;
		await inTenant(db, uhai.id, (tx) =>
			tx.query(
				`insert into receipts (tenant_id, id, gateway, kind, channel, custody, amount_minor, currency, occurred_at, state, created_at)
				 select $1, gen_random_uuid(), 'card_gateway', 'collection', channel, 'platform', amount, 'KES', $2, 'verified', $2
				   from unnest($3::text[], $4::bigint[]) as c (channel, amount) on conflict do nothing`,
				[
					...[uhai.id, new Date(day)],
					...[charges.map(({ channel }) => channel), charges.map(({ amount }) => amount)],
				],
			),
		);
		const expected = new Map<string, bigint>();
		for (const { channel, amount } of charges)
			expected.set(channel, (expected.get(channel) ?? 0n) - estimateFee(amount, channel, rules));
		const listed = await listChannelFees(db, new Date(day), rules);
		expect(new Map(listed.map(({ channel, varianceMinor }) => [channel, varianceMinor]))).toEqual(expected);
	});
	await fc.assert(property, { numRuns: 50, endOnFailure: true });
});
