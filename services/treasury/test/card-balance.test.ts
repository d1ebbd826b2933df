import { besideOthers, waitForBlockedQueries } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { addPayout, say } from "./payouts/add-payout.ts";
import { makeAvailable } from "./payouts/paying.ts";
import { openSettling } from "./settling.ts";

const till = setUp(openSettling);
const differences = () => till.exceptions("class=balance&state=open");
const post = (path: string, body: object = {}, operator = "amina") =>
	till.asOperator("POST", path, { body, operator });

async function compare() {
	const range = { from: new Date(Date.now() - 86_400_000), to: new Date() };
	await post("reconciliation/runs", { kind: "balances", ...range });
	await till.service.jobs.runDue();
}

/** The journal that the open exception proposes is asked for. */
async function propose() {
	const [raised] = await differences();
	const decision = { as: "posted", because: "Float." };
	const { body } = await post(`reconciliation/exceptions/${raised?.["id"]}/resolve`, decision);
	const adjustmentId = body["adjustment_id"];
	const decide = (how: string) => post(`adjustments/${adjustmentId}/${how}`, {}, "brian");
	return { id: raised?.["id"], adjustmentId, decide };
}

test("an exception about the transfer balance follows the difference; its journal is posted only while the balance still differs by it", async () => {
	const ours = async () => (await till.platform())["card.balance"] ?? 0;
	const add = (amount: number) => till.cards("POST", "/_control/top-up", { amount });
	await add(3_000);
	await compare();
	const { id, decide } = await propose();
	await add(4_000);
	expect(await decide("approve")).toMatchObject({ status: 409, body: { code: "balance_changed" } });
	const line = { amount_minor: 7_000 };
	expect(await differences()).toMatchObject([{ id, ...line, proposed: { lines: [line, line] } }]);
	const asked = { purpose: "top_up", currency: "KES", amount_minor: 7_000, because: "Float for payouts." };
	const { body } = await post("adjustments", asked);
	await post(`adjustments/${body["id"]}/approve`, {}, "brian");
	expect(await decide("approve")).toMatchObject({ status: 409, body: { code: "exception_closed" } });
	expect([await ours(), await differences()]).toEqual([7_000, []]);
	await decide("reject");
	await add(2_000);
	await compare();
	expect(await (await propose()).decide("approve")).toMatchObject({ status: 200, body: { state: "posted" } });
	expect([await ours(), await differences()]).toEqual([9_000, []]);
});

test("a proposed top-up is not posted if one by hand was posted after the balances were compared once more", async () => {
	const { db } = till.database;
	const before = (await till.platform())["card.balance"] ?? 0;
	await till.cards("POST", "/_control/top-up", { amount: 6_000 });
	await compare();
	const { decide, adjustmentId } = await propose();
	const asked = { purpose: "top_up", currency: "KES", amount_minor: 6_000, because: "Float for payouts." };
	const { body } = await post("adjustments", asked);
	const proposed = await db.transaction(
		besideOthers(async (tx) => {
			await tx.query("select from adjustments where id = $1 for update", [adjustmentId]);
			const waiting = decide("approve");
			await waitForBlockedQueries(db, { like: "%from adjustments%" });
			const byHand = await post(`adjustments/${body["id"]}/approve`, {}, "brian");
			expect(byHand).toMatchObject({ status: 200, body: { state: "posted" } });
			return { waiting };
		}),
	);
	expect(await proposed.waiting).toMatchObject({ status: 409, body: { code: "balance_changed" } });
	expect((await till.platform())["card.balance"]).toBe(before + 6_000);
	expect(await decide("approve")).toMatchObject({ status: 409, body: { code: "exception_closed" } });
	await decide("reject");
});

test("a transfer in flight does not count as a difference of the balance; without it there is one, with no proposal", async () => {
	const { db } = till.database;
	const { uhai } = till.tenants;
	const amount_minor = 100_000;
	const asked = { purpose: "top_up", currency: "KES", amount_minor, because: "Float." };
	const { body } = await post("adjustments", asked);
	await post(`adjustments/${body["id"]}/approve`, {}, "brian");
	await makeAvailable(db, uhai.id, { amountMinor: 100_000n });
	const said = [{ kind: "approved" }, { kind: "submitted" }] as const;
	const payout = await addPayout(db, uhai.id, { said });
	await compare();
	expect(await differences()).toEqual([]);
	await say(db, payout, { kind: "failed", code: "declined" });
	await compare();
	expect(await differences()).toMatchObject([{ amount_minor: -100_000, proposed: null, state: "open" }]);
	await db.query("update exceptions set subject = 'card.balance KES 2026-01-01' where state = 'open'");
	await compare();
	expect(await differences()).toHaveLength(1);
});
