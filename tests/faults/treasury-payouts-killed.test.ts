import { randomUUID } from "node:crypto";
import { waitForBlockedQueries } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test, vi } from "vitest";
import { startTreasuryProcesses } from "./treasury-processes.ts";

// The steps of a payout, each ended by kill -9: its money moves once, whatever dies.

const till = setUp(startTreasuryProcesses);
const soon = { timeout: 30_000, interval: 100 };
/** Jobs whose heartbeat ended are looked for every 15 seconds. */
const restart = { timeout: 60_000, interval: 250 };
const amount_minor = 50_000;
const killBoth = () => Promise.all(till.processes.map((one) => one.kill()));
const startBoth = () => Promise.all(till.processes.map((one) => one.start()));
const setFaults = (rules: readonly object[]) => till.cards.control("faults", "PUT", rules);

const askedFor = (recipient_id: string) => ({
	...{ tenant: till.tenants.uhai, path: "payouts", headers: { "idempotency-key": randomUUID() } },
	body: { rail: "card_gateway", recipient_id, amount_minor },
});
type Asked = ReturnType<typeof askedFor>;

async function ask(asked: Asked): Promise<{ id: string; reference: string }> {
	const answer = await till.call({ at: till.processes[1], ...asked });
	expect([200, 202]).toContain(answer?.status);
	return answer?.body as { id: string; reference: string };
}

/** Its hold is used once, and its money moved once. */
async function isPaidOnce({ id, reference }: { id: string; reference: string }): Promise<void> {
	await vi.waitFor(
		async () => expect(await till.payouts.find(id)).toMatchObject({ status: "paid" }),
		restart,
	);
	expect(await till.payouts.find(id)).toMatchObject({ journals: ["payout_hold", "payout_paid"] });
	expect(await till.payouts.countMoved(reference)).toBe(1);
}

test("the hold of a payout is committed and the process dies before it answers: the same key returns it, the hold stays, and it is sent once after its approval", async () => {
	const [first] = till.processes;
	const asked = askedFor(await till.payouts.prepare(amount_minor));
	const release = await till.block("payout_approvals", "access exclusive");
	const unanswered = till.call({ at: first, ...asked });
	await waitForBlockedQueries(till.database.db, { like: "%from payout_approvals%" });
	await first.kill();
	expect(await unanswered).toBeUndefined();
	await release();
	const payout = await ask(asked);
	expect(await till.payouts.find(payout.id)).toMatchObject({
		...{ status: "awaiting_approval", journals: ["payout_hold"] },
	});
	await first.start();
	await till.payouts.approve(payout.id);
	await isPaidOnce(payout);
}, 120_000);

test("a transfer is sent and both processes die before they read the answer: the gateway is asked, and it is not sent again", async () => {
	const payout = await ask(askedFor(await till.payouts.prepare(amount_minor)));
	await setFaults([
		{ operation: "transfer", fault: "late_after_timeout", ms: 60_000, count: 1 },
		{ operation: "transfer.success", fault: "drop", count: 1 },
	]);
	await till.payouts.approve(payout.id);
	await vi.waitFor(async () => expect(await till.payouts.countMoved(payout.reference)).toBe(1), soon);
	await killBoth();
	expect(await till.payouts.find(payout.id)).toMatchObject({ status: "submitting", sends: 1 });
	await till.letTimePass();
	await startBoth();
	await isPaidOnce(payout);
	expect(await till.payouts.find(payout.id)).toMatchObject({ sends: 1 });
	await setFaults([]);
}, 180_000);

test("a transfer is on its way when both processes die, and it is sent once more with its reference: the gateway takes one of the two", async () => {
	const payout = await ask(askedFor(await till.payouts.prepare(amount_minor)));
	await setFaults([{ operation: "transfer", fault: "delay", ms: 40_000, count: 1 }]);
	await till.payouts.approve(payout.id);
	await vi.waitFor(
		async () => expect(await till.payouts.find(payout.id)).toMatchObject({ status: "submitting" }),
		soon,
	);
	await killBoth();
	expect(await till.payouts.countMoved(payout.reference)).toBe(0);
	await till.letTimePass();
	await startBoth();
	await isPaidOnce(payout);
	await setFaults([]);
}, 180_000);
