import { setUp } from "@lango/testkit/set-up";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCards } from "./refunding/card-payments.ts";
import { openSettling } from "./settling.ts";

/** A gateway that settles charges two days later, into its balance for transfers. */
const till = setUp(() => openSettling({ settlementDays: 2, settlesTo: "balance" }));
const cards = () => openCards(till);
const dayMs = 86_400_000;

/** The gateway's clock alone is moved: it is 12:00 UTC seven days ago at the beginning of a test. */
const start = Math.floor(Date.now() / dayMs) * dayMs - 7 * dayMs;
const setClock = (days: number, time: string) =>
	till.cards("PUT", "/_control/clock", {
		now: `${new Date(start + days * dayMs).toISOString().slice(0, 10)}T${time}Z`,
	});

beforeEach(async () => {
	const body = { settings: { settles_to: "balance" } };
	expect((await till.asOperator("PUT", "gateways/card-gateway", { body })).status).toBe(200);
	await till.cards("POST", "/_control/settle", {});
	await till.fetchNow();
	await setClock(0, "12:00:00");
});
afterEach(async () => {
	await till.cards("PUT", "/_control/faults", []);
	await till.agree();
});

const ofBalance = async () => (await till.platform())["card.balance"] ?? 0;
const open = () => till.exceptions("state=open");
const fetchAt = async (days: number, time = "12:00:00") => {
	await setClock(days, time);
	await till.fetchNow();
};
async function compareBalances(): Promise<void> {
	const range = { from: new Date(Date.now() - dayMs), to: new Date() };
	const body = { kind: "balances", ...range };
	expect((await till.asOperator("POST", "reconciliation/runs", { body })).status).toBe(202);
	await till.service.jobs.runDue();
}

test("with T+2 a charge is pending for two days, and is available once it is in the balance for transfers", async () => {
	const [before, balance] = [await till.available(), await ofBalance()];
	const intentId = await till.charge();
	const pending = { ...before, pending: Number(before["pending"]) + 100_000 };
	for (const days of [1, 2]) {
		await fetchAt(days, "00:30:00");
		expect(await till.available()).toMatchObject({ pending: pending.pending });
	}
	await fetchAt(2, "07:00:00");
	expect(await till.receiptOf(intentId)).toMatchObject({ is_settled: false });
	await fetchAt(2, "08:00:00");
	expect(await till.receiptOf(intentId)).toEqual({ fee: 3_500, is_settled: true });
	expect(await till.available()).toMatchObject({
		...{ pending: before["pending"], available: Number(before["available"]) + 100_000 },
	});
	expect(await ofBalance()).toBe(balance + 96_500);
	expect(await till.platform()).not.toHaveProperty("bank");
});

test("refunds and lost disputes are taken from the balance for transfers, and no settlement deducts them", async () => {
	const [refunded, disputed] = [await cards().pay(), await cards().pay()];
	await fetchAt(2);
	const balance = await ofBalance();
	const { body } = await cards().refund({ payment_id: refunded.paymentId, amount_minor: 40_000 });
	await till.service.jobs.runDue();
	await setClock(2, "12:01:00");
	await cards().becomes(body["id"], "processed");
	expect(await ofBalance()).toBe(balance - 40_000);
	const { reference } = disputed;
	const { id } = await till.cards("POST", "/_control/dispute", { reference });
	await till.cards("POST", `/_control/disputes/${id}/resolve`, { resolution: "merchant-accepted" });
	const lost = async () => {
		await till.service.jobs.runDue();
		return ofBalance();
	};
	await expect.poll(lost).toBe(balance - 140_000);
	await till.charge();
	await fetchAt(5);
	expect(await ofBalance()).toBe(balance - 140_000 + 96_500);
	expect(await open()).toEqual([]);
});

test("a settlement that is paid into the balance and not fetched since, and a refund whose end was lost, do not count as a difference of the balance", async () => {
	const { paymentId } = await cards().pay();
	await fetchAt(2, "02:00:00");
	await setClock(2, "09:00:00");
	await compareBalances();
	expect(await open()).toEqual([]);
	await fetchAt(2, "09:01:00");
	await till.cards("PUT", "/_control/faults", [{ operation: "refund.processed", fault: "drop", count: 1 }]);
	const { body } = await cards().refund({ payment_id: paymentId });
	await till.service.jobs.runDue();
	await setClock(2, "09:10:00");
	await cards().becomes(body["id"], "processing");
	await compareBalances();
	expect(await open()).toEqual([]);
	await till.wait(31);
	await till.wait(100);
	await cards().becomes(body["id"], "processed");
	await compareBalances();
	expect(await open()).toEqual([]);
});
