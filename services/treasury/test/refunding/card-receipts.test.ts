import { randomUUID } from "node:crypto";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { findBroken } from "../outcomes/state.ts";
import { openSettling } from "../settling.ts";
import { openCards } from "./card-payments.ts";

const till = setUp(openSettling);
const cards = () => openCards(till);
const exceeded = { status: 409, body: { code: "refund_exceeds_payment" } };

/** The last charge of the card gateway, later than the one before: the clock of these tests is stopped. */
async function lastReceipt(): Promise<{ id: string; state: string }> {
	const { body } = await cards().ask("GET", "/receipts?kind=collection&limit=1");
	const [last] = body["items"] as Array<{ id: string; state: string; gateway: string }>;
	if (last?.gateway !== "card_gateway") throw new Error("the last receipt is not of the card gateway");
	return last;
}

/** What the gateway returned for a reference, in all, by the sandbox's truth. */
async function returned(reference: unknown): Promise<number> {
	const { movements } = (await till.cards("GET", "/_control/ledger")) as {
		movements: Array<{ kind: string; subject: string; amount: number }>;
	};
	const refunds = movements.filter(({ kind, subject }) => kind === "refund" && subject === reference);
	return -refunds.reduce((sum, { amount }) => sum + amount, 0);
}

async function sendBack(id: unknown): Promise<void> {
	await till.service.jobs.runDue();
	await till.wait(20);
	await cards().becomes(id, "processed");
}

const balances = async () => ({ ...(await till.balances(till.tenants.uhai)), ...(await till.platform()) });
const of = (all: Record<string, number>, code: string) => all[code] ?? 0;

test("what a receipt by card has beside payments is returned by its tenant, in parts and once, and no payment counts as returned", async () => {
	const { uhai } = till.tenants;
	await till.registerUrls(uhai);
	const order = { amount_minor: 100_000, currency: "KES", description: "Order 17" };
	const intent = (await cards().ask("POST", "/intents", { body: order })).body;
	const opened = await cards().ask("POST", `/intents/${intent["id"]}/checkout`, {
		body: { email: "amina@example.com" },
	});
	const { access_code, reference } = opened.body;
	// The request is paid otherwise while the page is open: all of the charge is too much.
	await till.payAtCounter({
		...{ shortcode: "600200", amountMinor: 100_000, account: String(intent["account_code"]) },
	});
	await till.wait(1);
	await till.cards("POST", `/_control/checkouts/${access_code}`, { action: "pay", channel: "card" });
	const suspended = async () => {
		await till.service.jobs.runDue();
		return of(await balances(), "suspense.card");
	};
	await expect.poll(suspended).toBe(100_000);
	const { id: receipt_id } = await lastReceipt();
	const part = await cards().refund({ receipt_id, amount_minor: 40_000 });
	expect(part).toMatchObject({
		status: 202,
		body: { method: "card", amount_minor: 40_000, payment_id: null },
	});
	const held = await balances();
	expect([of(held, "suspense.card"), of(held, "tenant.refunding")]).toEqual([60_000, 40_000]);
	expect(await cards().refund({ receipt_id, amount_minor: 60_001 })).toMatchObject(exceeded);
	await sendBack(part.body["id"]);
	const rest = await cards().refund({ receipt_id });
	expect(rest.body).toMatchObject({ amount_minor: 60_000 });
	await sendBack(rest.body["id"]);
	const after = await balances();
	expect([of(after, "suspense.card"), of(after, "tenant.refunding")]).toEqual([0, 0]);
	expect(await returned(reference)).toBe(100_000);
	expect(await cards().refund({ receipt_id })).toMatchObject(exceeded);
	expect(await cards().intent(String(intent["id"]))).toMatchObject({ refunded_minor: 0 });
	await till.agree();
});

test("a receipt by card of which all is allocated is not returned by the receipt", async () => {
	const { receiptId } = await cards().pay();
	expect(await cards().refund({ receipt_id: receiptId })).toMatchObject(exceeded);
});

test("a bill that was paid by card is returned by the platform owner, in parts, and not by the tenant: it is income no more", async () => {
	const { uhai, lango } = till.tenants;
	const income = of(await balances(), "platform.income");
	await till.wait(1);
	const billId = await till.charge({ payee: "platform" });
	expect(of(await balances(), "platform.income")).toBe(income + 100_000);
	const { id: receipt_id } = await lastReceipt();
	expect(await cards().refund({ receipt_id })).toMatchObject({ status: 403, body: { code: "forbidden" } });
	const refund = (more: object) =>
		till.call({
			...{ method: "POST", url: `/api/v1/uhai/treasury/refunds?tenantId=${uhai.id}` },
			token: till.token(lango, "superuser", { iat: nowInSeconds(), exp: nowInSeconds() + 3_600 }),
			body: { receipt_id, reason: "The bill was wrong", ...more },
			headers: { "idempotency-key": randomUUID() },
		});
	const part = await refund({ amount_minor: 30_000 });
	expect(part).toMatchObject({ status: 202, body: { method: "card", amount_minor: 30_000 } });
	expect(of(await balances(), "platform.income")).toBe(income + 70_000);
	await sendBack(part.body["id"]);
	expect(await cards().intent(billId)).toMatchObject({ refunded_minor: 30_000 });
	const rest = await refund({});
	expect(rest.body).toMatchObject({ amount_minor: 70_000 });
	await sendBack(rest.body["id"]);
	expect(await cards().intent(billId)).toMatchObject({ received_minor: 100_000, refunded_minor: 100_000 });
	const after = await balances();
	expect([of(after, "platform.income"), of(after, "unapplied")]).toEqual([income, 0]);
	expect(await refund({})).toMatchObject(exceeded);
	expect(await findBroken({ db: till.database.db }, uhai.id)).toEqual([]);
	await till.agree();
});

const nowInSeconds = () => Math.floor((till.clock.now ?? new Date()).getTime() / 1_000);
