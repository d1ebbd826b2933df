import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { openSettling } from "./settling.ts";

const till = setUp(openSettling);

async function compare(kind: string): Promise<void> {
	const range = { from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 86_400_000) };
	await till.asOperator("POST", "reconciliation/runs", { body: { kind, ...range } });
	await till.service.jobs.runDue();
}

/** Compares with what was to come until six days ago. */
const expectSettled = () => compare("expectations");

/** A charge of 1,000.00 shillings from six days ago. Returns its intent. */
async function chargeEarlier(): Promise<string> {
	const intentId = await till.charge();
	await makeOlder(intentId);
	return intentId;
}

const makeOlder = (intentId: string) =>
	inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query(
			`update receipts set occurred_at = now() - interval '6 days'
			  where attempt_id = (select id from attempts where intent_id = $1)`,
			[intentId],
		),
	);

/** A charge from six days ago that was counted only after its settlement had been looked at. */
async function chargeCountedLate(): Promise<string> {
	const intentId = await till.charge({ isLost: true });
	await till.cards("PUT", "/_control/faults", [{ operation: "verify", fault: "maintenance", count: 1 }]);
	await till.settleNow();
	expect(await till.exceptions("class=missing_here&state=open")).toHaveLength(1);
	await compare("transactions");
	await makeOlder(intentId);
	return intentId;
}

/** The hour is over after which settlements are looked at again. */
async function lookAgain(): Promise<void> {
	await till.database.db.query(
		"update settlements set next_check_at = now() - interval '1 hour' where state = 'paid'",
	);
	await till.recover();
}

test("a charge that no settlement contains in time is late, until it is settled", async () => {
	await chargeEarlier();
	await expectSettled();
	await expectSettled();
	const late = await till.exceptions("class=late&state=open");
	const ours = { waits_for: "settlement", receipt_id: expect.any(String), tenant_id: till.tenants.uhai.id };
	expect(late).toMatchObject([{ amount_minor: 100_000, ours, theirs: {} }]);
	await till.settleNow();
	expect(await till.exceptions("class=late&state=open")).toEqual([]);
});

test("a charge that its settlement missed is not late once it is counted: it is settled when the settlement is looked at again", async () => {
	const intentId = await chargeCountedLate();
	await expectSettled();
	expect(await till.exceptions("class=late&state=open")).toEqual([]);
	expect((await till.receiptOf(intentId))?.is_settled).toBe(false);
	await lookAgain();
	expect((await till.receiptOf(intentId))?.is_settled).toBe(true);
	expect(await till.exceptions("state=open")).toEqual([]);
	await till.agree();
});

test("a charge that is never paid out is settled by two operators, at the cost of the platform, and not waived", async () => {
	const intentId = await chargeEarlier();
	await expectSettled();
	const [late] = await till.exceptions("class=late&state=open");
	const resolve = (as: string) =>
		till.asOperator("POST", `reconciliation/exceptions/${late?.["id"]}/resolve`, {
			body: { as, because: "A test." },
		});
	expect(await resolve("waived")).toMatchObject({ status: 409, body: { code: "charge_unsettled" } });
	expect(await resolve("matched")).toMatchObject({ status: 409, body: { code: "charge_unsettled" } });
	const [before, platform] = [await till.available(), await till.platform()];
	const { adjustment_id } = (await resolve("posted")).body;
	expect((await till.receiptOf(intentId))?.is_settled).toBe(false);
	await till.asOperator("POST", `adjustments/${adjustment_id}/approve`, { operator: "brian" });
	expect((await till.receiptOf(intentId))?.is_settled).toBe(true);
	expect(await till.exceptions("class=late&state=open")).toEqual([]);
	expect(await till.available()).toMatchObject({
		pending: (before["pending"] ?? 0) - 100_000,
		available: (before["available"] ?? 0) + 100_000,
	});
	expect(await till.platform()).toMatchObject({
		"card.unsettled": (platform["card.unsettled"] ?? 0) - 96_500,
		recon_variance: (platform["recon_variance"] ?? 0) + 96_500,
	});
	await expectSettled();
	expect(await till.exceptions("class=late&state=open")).toEqual([]);
	// It is paid out all the same: what arrives is explained by another journal.
	await till.settleNow();
	expect(await till.exceptions("class=duplicate&state=open")).toMatchObject([
		{ amount_minor: 100_000, proposed: { purpose: "variance" } },
	]);
});

test("a charge that its settlement missed, and that then differs from it, is missing no more", async () => {
	await chargeCountedLate();
	await till.database.db.query("update settlement_lines set amount_minor = 90000 where state = 'missing'");
	await lookAgain();
	expect(await till.exceptions("class=missing_here&state=open")).toEqual([]);
	const theirs = { amount_minor: 90_000, transaction: expect.any(String) };
	expect(await till.exceptions("class=amount&state=open")).toContainEqual(
		expect.objectContaining({ theirs: expect.objectContaining(theirs) }),
	);
});
