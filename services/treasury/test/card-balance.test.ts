import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { addPayout, say } from "./payouts/add-payout.ts";
import { makeAvailable } from "./payouts/paying.ts";
import { openSettling } from "./settling.ts";

const till = setUp(openSettling);
const differences = () => till.exceptions("class=balance");

async function compare() {
	const range = { from: new Date(Date.now() - 86_400_000), to: new Date() };
	await till.asOperator("POST", "reconciliation/runs", { body: { kind: "balances", ...range } });
	await till.service.jobs.runDue();
}

test("a transfer in flight does not count as a difference of the balance; without it there is one, with no proposal", async () => {
	const { db } = till.database;
	const { uhai } = till.tenants;
	const amount_minor = 100_000;
	const asked = { purpose: "top_up", currency: "KES", amount_minor, because: "Float." };
	const { body } = await till.asOperator("POST", "adjustments", { body: asked });
	await till.asOperator("POST", `adjustments/${body["id"]}/approve`, { operator: "brian" });
	await makeAvailable(db, uhai.id, { amountMinor: 100_000n });
	const said = [{ kind: "approved" }, { kind: "submitted" }] as const;
	const payout = await addPayout(db, uhai.id, { said });
	await compare();
	expect(await differences()).toEqual([]);
	await say(db, payout, { kind: "failed", code: "declined" });
	await compare();
	expect(await differences()).toMatchObject([{ amount_minor: -100_000, proposed: null, state: "open" }]);
	await db.query("update exceptions set subject = 'card.balance KES 2026-01-01' where class = 'balance'");
	await compare();
	expect(await differences()).toHaveLength(1);
});
