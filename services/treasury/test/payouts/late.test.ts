import { randomUUID } from "node:crypto";
import { acrossTenants, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { closeException } from "../../src/exceptions/exception.store.ts";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import { takeFee } from "../../src/outcomes/collecting/correct-fee.ts";
import type { Paid } from "../../src/outcomes/evidence/evidence.ts";
import type { PayoutSaid } from "../../src/outcomes/evidence/payout-evidence.ts";
import { recordResend } from "../../src/payouts/payout.store.ts";
import type { Receipt } from "../../src/receipts/receipt.ts";
import { findViolations } from "../ledger/invariants.ts";
import { openTill } from "../till.ts";
import { addTenant } from "../treasury-database.ts";
import { addPayout, getPayout, say } from "./add-payout.ts";
import { makeAvailable } from "./paying.ts";

const till = setUp(openTill);
const balancesOf = (id: string) => till.balances({ ...till.tenants.uhai, id });
const sent: readonly PayoutSaid[] = [{ kind: "approved" }, { kind: "submitted" }, { kind: "in_flight" }];
const failed: PayoutSaid = { kind: "failed", code: "invalid_account" };

/** A tenant whose payout failed, and whose money went out by another one since. */
async function spend() {
	const { db } = till.database;
	const tenantId = await addTenant(db);
	await makeAvailable(db, tenantId, { amountMinor: 100_000n });
	const payout = await addPayout(db, tenantId, { transferFeeMinor: 1_000n, said: [...sent, failed] });
	await addPayout(db, tenantId, { said: sent });
	return { tenantId, id: payout.id };
}

/** What a tenant has, and owes, of what is moved here. */
async function stateOf(tenantId: string) {
	const balances = await balancesOf(tenantId);
	return { debt: balances["tenant.debt"] ?? 0, available: balances["tenant.available"] ?? 0 };
}

test("failed, then paid: what is not available is debt, and each time that money comes back it pays the debt", async () => {
	const { db } = till.database;
	const payout = await spend();
	await say(db, payout, { kind: "paid", feeMinor: 400n });
	expect(await stateOf(payout.tenantId)).toEqual({ debt: 99_400, available: 0 });
	await say(db, payout, { kind: "reversed" });
	expect(await getPayout(db, payout)).toMatchObject({ status: "reversed" });
	// The fee of the transfer stays charged, and is due.
	expect(await stateOf(payout.tenantId)).toEqual({ debt: 0, available: 600 });
	expect(await findViolations({ read: (text) => acrossTenants(db, (tx) => tx.query(text)) })).toEqual([]);
});

test("failed, then reversed: nothing moves, and a success that comes later changes nothing", async () => {
	const { db } = till.database;
	const payout = await spend();
	const before = await balancesOf(payout.tenantId);
	await say(db, payout, { kind: "reversed" });
	await say(db, payout, { kind: "paid" });
	expect(await getPayout(db, payout)).toMatchObject({ status: "reversed", paidAt: null });
	expect(await balancesOf(payout.tenantId)).toEqual(before);
});

test("paid, then failed: it stays paid, and a person has to look; once one has decided, that it came back is not booked either", async () => {
	const { db } = till.database;
	const tenantId = await addTenant(db);
	await makeAvailable(db, tenantId, { amountMinor: 100_000n });
	const payout = await addPayout(db, tenantId, { said: [...sent, { kind: "paid" }, failed, failed] });
	const subject = `failed transfer ${payout.reference}`;
	const raised = () =>
		db.query<{ id: string }>(
			"select id, subject, state, amount_minor::int from exceptions where starts_with(subject, $1) order by id",
			[subject],
		);
	const [first, ...others] = await raised();
	expect([first, others]).toMatchObject([{ subject, state: "open", amount_minor: 100_000 }, []]);
	const resolution = { as: "waived", because: "Corrected.", receiptIds: [], by: "amina" } as const;
	await closeException(db, String(first?.id), { ...resolution, at: new Date() });
	await say(db, payout, { kind: "reversed" });
	expect(await getPayout(db, payout)).toMatchObject({ status: "paid" });
	expect(await stateOf(tenantId)).toEqual({ debt: 0, available: 0 });
	const again = { subject: `${subject} reversed`, state: "open" };
	expect(await raised()).toMatchObject([{ state: "closed" }, again]);
});

test("paid, then failed, then reversed: the money is available again, and nothing is left to a person", async () => {
	const { db } = till.database;
	const tenantId = await addTenant(db);
	await makeAvailable(db, tenantId, { amountMinor: 100_000n });
	const all = [...sent, { kind: "paid" }, failed, { kind: "reversed" }] as const;
	const { id, reference } = await addPayout(db, tenantId, { said: all });
	expect(await getPayout(db, { tenantId, id })).toMatchObject({ status: "reversed" });
	expect(await stateOf(tenantId)).toEqual({ debt: 0, available: 100_000 });
	const subject = `failed transfer ${reference}`;
	const states = await db.query("select state from exceptions where subject = $1", [subject]);
	expect(states).toEqual([{ state: "closed" }]);
});

test("paid, then reversed: a success that comes after it changes nothing", async () => {
	const { db } = till.database;
	const tenantId = await addTenant(db);
	await makeAvailable(db, tenantId, { amountMinor: 100_000n });
	const payout = await addPayout(db, tenantId, { said: [...sent, { kind: "paid" }, { kind: "reversed" }] });
	const before = await balancesOf(tenantId);
	expect(before).toMatchObject({ "tenant.available": 100_000 });
	await say(db, payout, { kind: "paid" });
	expect(await getPayout(db, payout)).toMatchObject({ status: "reversed" });
	expect(await balancesOf(tenantId)).toEqual(before);
});

test("the answer that nothing was sent counts also after a question made the payout unknown, unless it was sent twice", async () => {
	const { db } = till.database;
	const tenantId = await addTenant(db);
	await makeAvailable(db, tenantId, { amountMinor: 200_000n });
	const unknown = [...sent.slice(0, 2), { kind: "unknown", because: "no_answer" }] as const;
	const notSent = { kind: "not_sent", code: "insufficient_balance", needsOperator: true } as const;
	for (const [source, isResent, status] of [
		["query", false, "unknown"],
		["answer", true, "unknown"],
		["answer", false, "approved"],
	] as const) {
		await makeAvailable(db, tenantId, { amountMinor: 100_000n });
		const payout = await addPayout(db, tenantId, { said: unknown });
		await inTenant(db, tenantId, async (tx) => {
			if (isResent) await recordResend(tx, payout.id);
			const about = { tenantId, payoutId: payout.id, source, sourceId: undefined, at: new Date() };
			await applyOutcome(tx, { ...about, payout: notSent });
		});
		expect(await getPayout(db, payout)).toMatchObject({ status });
	}
});

/** What the gateway charged for a transfer, and what of that the tenant has to bear beyond its lines. */
async function feesOf({ tenantId, id }: { tenantId: string; id: string }) {
	const [row] = await acrossTenants(till.database.db, (tx) =>
		tx.query<{ charged: number }>(
			`with posted as materialized (
			   select j.evidence_id, case p.side when 'debit' then p.amount_minor else -p.amount_minor end as amount
			     from postings p join ledger_accounts a on a.id = p.account_id join journals j on j.id = p.journal_id
			    where a.code = 'gateway_fee.transfer')
			 select sum(p.amount)::int as charged from posted p join evidence e on e.id = p.evidence_id where e.object_id = $1`,
			[id],
		),
	);
	return { charged: row?.charged, due: (await balancesOf(tenantId))["tenant.fees_due"] ?? 0 };
}

test.each([
	["without its fee", undefined],
	["with a lower fee", 400n],
	["with a fee above that of its line", 1_100n],
])(
	"the fee of a transfer that was booked %s is corrected by what the gateway states later, each time that it is higher, also after the transfer came back",
	async (_, feeMinor) => {
		const { db } = till.database;
		const tenantId = await addTenant(db);
		await makeAvailable(db, tenantId, { amountMinor: 100_000n });
		const payout = await addPayout(db, tenantId, {
			...{ transferFeeMinor: 1_000n, said: [...sent, { kind: "paid", ...(feeMinor && { feeMinor }) }] },
		});
		const before = await balancesOf(tenantId);
		const given = (feeMinor === 400n && 600) || 0;
		expect(before["tenant.available"] ?? 0).toBe(given);
		for (const later of [1_250n, 1_250n, 1_100n]) await say(db, payout, { kind: "paid", feeMinor: later });
		expect(await feesOf(payout)).toEqual({ charged: 1_250, due: 250 + given });
		await say(db, payout, { kind: "reversed" });
		await say(db, payout, { kind: "paid", feeMinor: 1_300n });
		// Of a transfer that came back the fee stays charged: that of its line is due again.
		expect(await feesOf(payout)).toEqual({ charged: 1_300, due: 1_300 + given });
		expect(await getPayout(db, payout)).toMatchObject({ status: "reversed", feeMinor: 1_300n });
		expect(await findViolations({ read: (text) => acrossTenants(db, (tx) => tx.query(text)) })).toEqual([]);
	},
);

test("the corrections of its fee are listed among the journals of a payout", async () => {
	const { db } = till.database;
	const tenantId = await addTenant(db);
	await makeAvailable(db, tenantId, { amountMinor: 200_000n });
	const paid = [...sent, { kind: "paid", feeMinor: 400n }] as const;
	const [payout] = [
		await addPayout(db, tenantId, { said: paid }),
		await addPayout(db, tenantId, { said: paid }),
	];
	for (const feeMinor of [500n, 600n]) await say(db, payout, { kind: "paid", feeMinor });
	const { body } = await till.call({
		...{ method: "GET", url: `/api/v1/platform/journals?source_type=payout&source_id=${payout.id}` },
		token: till.token(till.tenants.lango, "superuser"),
	});
	const listed = (body["items"] as Array<{ purpose: string }>).map(({ purpose }) => purpose);
	expect(listed).toEqual(["payout_hold", "payout_paid", "fee_trueup", "fee_trueup", "fee_trueup"]);
});

test("what an adjustment makes available pays the debt of the tenant", async () => {
	const { db } = till.database;
	const payout = await spend();
	await say(db, payout, { kind: "paid" });
	const { tenantId } = payout;
	const line = { owner: "tenant", amountMinor: 150_000n } as const;
	await inTenant(db, tenantId, (tx) =>
		applyOutcome(tx, {
			...{ tenantId, source: "operator", sourceId: undefined, at: new Date() },
			adjustment: {
				...{ id: randomUUID(), tenantId, purpose: "correction", currency: "KES", because: "A test" },
				lines: [
					{ ...line, side: "debit", code: "bank", owner: "platform" },
					{ ...line, side: "credit", code: "tenant.available" },
				],
				...{ state: "posted", exceptionId: undefined, createdBy: randomUUID(), createdAt: new Date() },
				...{ approvedBy: randomUUID(), approvedAt: new Date() },
			},
		}),
	);
	expect(await stateOf(tenantId)).toEqual({ debt: 0, available: 50_000 });
});

test("a fee that was lower than its estimate, and that a payout has deducted, pays the debt of the tenant", async () => {
	const { db } = till.database;
	const payout = await spend();
	await say(db, payout, { kind: "paid" });
	const { tenantId } = payout;
	const receipt = { id: randomUUID(), tenantId, channel: "card", currency: "KES", feeMinor: 3_500n };
	await inTenant(db, tenantId, (tx) =>
		takeFee(tx, { ...receipt, isFeeEstimated: true, isFeePassedOn: true } as Receipt, {
			...{ said: { kind: "paid", feeMinor: 3_000n } as Paid, evidenceId: randomUUID(), now: new Date() },
		}),
	);
	expect(await stateOf(tenantId)).toEqual({ debt: 99_500, available: 0 });
});
