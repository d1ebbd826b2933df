import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { compareRefunds } from "../../src/comparing/cards/compare-refunds.ts";
import { accepted, unknown } from "../../src/gateways/calls/answer.ts";
import type { CardGateway } from "../../src/gateways/card-gateway/account.ts";
import { cardDefaults } from "../../src/gateways/profiles/profile.ts";
import type { Treasury } from "../../src/treasury.ts";
import { openSettling } from "../settling.ts";
import { compareCards, openCards } from "./card-payments.ts";

const till = setUp(openSettling);
const cards = () => openCards(till);
afterEach(async () => {
	till.clock.now = undefined;
	await till.cards("PUT", "/_control/clock", { now: null });
	await till.cards("PUT", "/_control/faults", []);
});

const dayMs = 86_400_000;
const compare = (from?: number, to?: number) => compareCards(till, from, to);

/** All events about refunds are lost from now on. */
const loseEvents = () => {
	const events = ["refund.pending", "refund.processing", "refund.processed"];
	const lost = events.map((operation) => ({ operation, fault: "drop" }));
	return till.cards("PUT", "/_control/faults", lost);
};

/** Somebody returns a part of a charge at the gateway itself. Returns the id of its transaction. */
async function refundAtGateway(transaction: string, amount: number): Promise<string> {
	const answer = await fetch(`${till.cardGateway.url}/refund`, {
		...{ method: "POST", body: JSON.stringify({ transaction, amount }) },
		headers: { authorization: "Bearer sk_test_lango_sandbox", "content-type": "application/json" },
	});
	const { data } = (await answer.json()) as { data: { transaction: { id: number } } };
	return String(data.transaction.id);
}

const refundsOf = async (receiptId: string) =>
	(await cards().ask("GET", `/refunds?receipt_id=${receiptId}`)).body["items"];
const unsettled = async () => (await till.platform())["card.unsettled"] ?? 0;

test("a refund that was made at the gateway, and of which every event was lost, is found by the daily comparison: its money is held, leaves the books once, and its settlement deducts it", async () => {
	const { reference, receiptId, intentId } = await cards().pay();
	await loseEvents();
	const before = await unsettled();
	await refundAtGateway(reference, 30_000);
	expect(await compare()).toBe("done");
	const made = { origin: "gateway", method: "card", amount_minor: 30_000 };
	expect(await refundsOf(receiptId)).toMatchObject([{ ...made, status: "pending" }]);
	expect((await till.balances(till.tenants.uhai))["tenant.refunding"]).toBe(30_000);
	await till.wait(20);
	for (const _ of [1, 2]) expect(await compare()).toBe("done");
	expect(await refundsOf(receiptId)).toMatchObject([{ ...made, status: "processed" }]);
	expect(await cards().intent(intentId)).toMatchObject({ refunded_minor: 30_000 });
	expect(await unsettled()).toBe(before - 30_000);
	await till.settleNow();
	expect(await till.exceptions("state=open")).toEqual([]);
	await till.agree();
});

test("one of the amount of a refund of ours, whose id is not known, is distinguished from it", async () => {
	const { paymentId, reference, receiptId, intentId } = await cards().pay();
	await till.cards("PUT", "/_control/faults", [
		{ operation: "refund", fault: "reset_after_commit", count: 1 },
	]);
	const { body } = await cards().refund({ payment_id: paymentId, amount_minor: 40_000 });
	await till.service.jobs.runDue();
	await till.wait(20);
	await cards().becomes(body["id"], "processed");
	await loseEvents();
	await refundAtGateway(reference, 40_000);
	expect(await compare()).toBe("done");
	await till.wait(20);
	expect(await compare()).toBe("done");
	expect(await refundsOf(receiptId)).toMatchObject([{ origin: "gateway" }, { id: body["id"] }]);
	expect(await cards().intent(intentId)).toMatchObject({ refunded_minor: 80_000 });
});

test("one whose charge is not counted is left to the operator until the charge is, however long ago it was made", async () => {
	const reference = await till.payElsewhere();
	await loseEvents();
	const transaction = await refundAtGateway(reference, 20_000);
	expect(await compare()).toBe("done");
	const raised = async (state: string) =>
		(await till.exceptions(`class=missing_here&state=${state}`)).filter(
			({ theirs }) => (theirs as { transaction?: string }).transaction === transaction,
		);
	const returned = { subject: `refunds of charge ${transaction}`, amount_minor: 20_000 };
	const open = await raised("open");
	expect(open).toHaveLength(2);
	expect(open).toContainEqual(expect.objectContaining(returned));
	const charge = open.find(({ proposed }) => proposed !== null);
	const { body } = await till.asOperator("POST", `reconciliation/exceptions/${charge?.["id"]}/resolve`, {
		body: { as: "posted", because: "A guest paid it." },
	});
	await till.asOperator("POST", `adjustments/${body["adjustment_id"]}/approve`, { operator: "brian" });
	await till.service.jobs.runDue();
	expect((await till.platform())["suspense.card"]).toBe(50_000);
	expect(await compare(dayMs, 2 * dayMs)).toBe("done");
	expect((await till.platform())["suspense.card"]).toBe(30_000);
	expect(await raised("open")).toEqual([]);
	expect(await raised("closed")).toContainEqual(
		expect.objectContaining({ ...returned, resolution: expect.objectContaining({ as: "matched" }) }),
	);
});

type Stated = Readonly<Record<string, unknown>>;

/** Compares refunds at a gateway that lists these, and is silent about some transactions. Returns a code. */
async function compareAt(listed: readonly Stated[], { silent = "", canList = true } = {}) {
	const send: CardGateway["send"] = async ({ query = {} }, read) => {
		const { transaction } = query;
		if (transaction === silent) return unknown("timeout");
		const data = listed.filter(({ transaction: id }) => transaction === undefined || id === transaction);
		const ids = read({ data });
		return ids === undefined ? unknown("unreadable") : accepted(ids, {});
	};
	const capabilities = { ...cardDefaults.capabilities, list_refunds: canList };
	const gateway = {
		send,
		profile: { settings: { ...cardDefaults, capabilities } },
	} as unknown as CardGateway;
	const gateways = { findCardGateway: async () => gateway } as unknown as Treasury["gateways"];
	const domain = { db: till.database.db, now: () => new Date(), gateways };
	const range = { from: new Date(), to: new Date() };
	return compareRefunds(domain, gateway, range).catch((failure: { code: string }) => failure.code);
}

const entry = (id: number, transaction: string) => ({
	...{ id, transaction, status: "processed", amount: 10_000, currency: "KES" },
});

test("an entry that cannot be read, and a charge about which the gateway is silent, fail the comparison, after all others were applied", async () => {
	const [silent, other] = [await cards().pay(), await cards().pay()];
	const listed = [entry(8_001, silent.transactionId), { id: null }, entry(8_002, other.transactionId)];
	expect(await compareAt(listed, { silent: silent.transactionId })).toBe("gateway_refused");
	expect(await refundsOf(silent.receiptId)).toEqual([]);
	expect(await refundsOf(other.receiptId)).toMatchObject([{ origin: "gateway", status: "processed" }]);
	const readable = listed.filter(({ id }) => id !== null);
	expect(await compareAt(readable, { silent: silent.transactionId })).toBe("gateway_unavailable");
	expect(await compareAt(readable, { canList: false })).toBe(0);
	expect(await refundsOf(silent.receiptId)).toEqual([]);
	expect(await compareAt(readable)).toBe(2);
	expect(await refundsOf(silent.receiptId)).toHaveLength(1);
	expect(await refundsOf(other.receiptId)).toHaveLength(1);
});
