import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { addBill } from "../add-bill.ts";
import { newPhone, openTill } from "../till.ts";
import { openCards } from "./card-payments.ts";

const till = setUp(openTill);
const cards = () => openCards(till);
beforeAll(async () => {
	await till.registerUrls(till.tenants.uhai);
	await till.registerUrls(till.tenants.lango);
});

/** A phone pays 1,500.00 shillings at the hospital's counter; with an account they pay a request. */
async function pay({ account = "", phone = newPhone("is silent") } = {}) {
	const number = await till.payAtCounter({ shortcode: "600200", amountMinor: 150_000, account, phone });
	const { body } = await cards().ask("GET", "/receipts?kind=collection&limit=1");
	return { number, receipt: (body["items"] as Array<{ id: string; payments: Array<{ id: string }> }>)[0] };
}

async function newAccount(): Promise<string> {
	const request = { amount_minor: 150_000, currency: "KES", description: "Order 17", channels: ["push"] };
	return String((await cards().ask("POST", "/intents", { body: request })).body["account_code"]);
}

const reverse = (receipt: string, more: object = {}) =>
	cards().ask("POST", "/reversals", {
		body: { receipt, remarks: "Paid to the wrong shop", ...more },
		headers: { "idempotency-key": randomUUID() },
	});

const balances = () => till.balances(till.tenants.uhai);

test("a mobile-money payment is refunded by a reversal, of which nothing is held, and once only", async () => {
	const phone = newPhone("is silent");
	const { receipt } = await pay({ account: await newAccount(), phone });
	const paymentId = receipt?.payments[0]?.id ?? "";
	const before = await balances();
	const { body } = await cards().refund({ payment_id: paymentId, amount_minor: 50_000 });
	expect(body).toMatchObject({ method: "reversal", status: "requested" });
	expect(await balances()).toEqual(before);
	expect(await cards().refund({ payment_id: paymentId, amount_minor: 10_000 })).toMatchObject({
		...{ status: 409, body: { code: "refund_running" } },
	});
	await cards().becomes(body["id"], "processed");
	expect(await balances()).toMatchObject({
		"tenant.mobile": (before["tenant.mobile"] ?? 0) - 50_000,
		"mm.float.600200": (before["mm.float.600200"] ?? 0) - 50_000,
	});
	expect((await cards().ask("GET", "/receipts?kind=reversal&limit=1")).body["items"]).toMatchObject([
		{ refund_id: body["id"], amount_minor: 50_000, receipt: expect.any(String), shortcode: "600200" },
	]);
	expect((await cards().ask("GET", `/payments/${paymentId}`)).body).toMatchObject({ refunded_minor: 50_000 });
	expect(await cards().refund({ payment_id: paymentId })).toMatchObject({
		...{ status: 409, body: { code: "refund_channel_closed" } },
	});
});

test("a payment that nothing was counted for is reversed from suspense, and cannot be allocated meanwhile", async () => {
	const { number, receipt } = await pay();
	const { body: intent } = await cards().ask("POST", "/intents", {
		body: { amount_minor: 150_000, currency: "KES", description: "Order 18", channels: ["push"] },
	});
	const before = await balances();
	const { body } = await reverse(number);
	expect(body).toMatchObject({ method: "reversal", amount_minor: 150_000, payment_id: null });
	const allocated = await cards().ask("POST", `/receipts/${receipt?.id}/allocate`, {
		body: { intent_id: intent["id"] },
	});
	expect(allocated).toMatchObject({ status: 409, body: { code: "receipt_allocated" } });
	await cards().becomes(body["id"], "processed");
	expect(await balances()).toMatchObject({
		"suspense.600200": (before["suspense.600200"] ?? 0) - 150_000,
	});
});

test("a receipt of which a part is being returned is not allocated", async () => {
	const { number, receipt } = await pay();
	const { body: intent } = await cards().ask("POST", "/intents", {
		body: { amount_minor: 50_000, currency: "KES", description: "Order 19", channels: ["push"] },
	});
	const { body } = await reverse(number, { amount_minor: 100_000 });
	const allocated = await cards().ask("POST", `/receipts/${receipt?.id}/allocate`, {
		body: { intent_id: intent["id"] },
	});
	expect(allocated).toMatchObject({ status: 409, body: { code: "receipt_refunding" } });
	await cards().becomes(body["id"], "processed");
});

test("what was paid a day ago, with cents, to the platform, or not at all is not reversed", async () => {
	const { number, receipt } = await pay();
	expect(await reverse(number, { amount_minor: 10_050 })).toMatchObject({
		...{ status: 400, body: { code: "amount_not_whole" } },
	});
	await inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query(
			"update receipts set occurred_at = (occurred_at at time zone 'UTC' - interval '24 hours') at time zone 'UTC' where id = $1",
			[receipt?.id],
		),
	);
	expect(await reverse(number)).toMatchObject({ status: 409, body: { code: "reversal_too_late" } });
	const { uhai } = till.tenants;
	const bill = await inTenant(till.database.db, uhai.id, (tx) => addBill(tx, uhai.id));
	const paid = { shortcode: "600100", amountMinor: 250_000, account: bill.accountCode };
	const ofPlatform = await till.payAtCounter(paid);
	expect(await reverse(ofPlatform)).toMatchObject({ status: 409, body: { code: "custody_differs" } });
	expect(await reverse("NOTTHERE12")).toMatchObject({ status: 404, body: { code: "receipt_not_found" } });
});

/** A phone pays a request of 1,500.00 shillings by its prompt. */
async function payByPrompt() {
	const request = { amount_minor: 150_000, currency: "KES", description: "Order 17", channels: ["push"] };
	const { body: intent } = await cards().ask("POST", "/intents", { body: request });
	await cards().ask("POST", `/intents/${intent["id"]}/push`, { body: { phone: newPhone("accepts") } });
	const paymentOf = async () => {
		await till.service.jobs.runDue();
		const { body } = await cards().ask("GET", `/payments?intent_id=${intent["id"]}`);
		return (body["items"] as Array<{ id: string; receipt: { id: string } }>)[0];
	};
	await expect.poll(paymentOf, { timeout: 30_000 }).toBeDefined();
	const payment = await paymentOf();
	return { paymentId: payment?.id ?? "", receiptId: payment?.receipt.id ?? "" };
}

/** The gateway reverses a payment for a day only. */
const makeOld = (receiptId: string) =>
	inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query(
			"update receipts set occurred_at = (occurred_at at time zone 'UTC' - interval '25 hours') at time zone 'UTC' where id = $1",
			[receiptId],
		),
	);

test("what cannot be reversed any more is paid to the phone that was prompted, once", async () => {
	const { paymentId, receiptId } = await payByPrompt();
	await makeOld(receiptId);
	const before = await balances();
	const { body } = await cards().refund({ payment_id: paymentId, amount_minor: 50_000 });
	expect(body).toMatchObject({ method: "payout", status: "requested" });
	expect(await cards().refund({ payment_id: paymentId, amount_minor: 10_000 })).toMatchObject({
		...{ status: 409, body: { code: "refund_running" } },
	});
	await cards().becomes(body["id"], "processed");
	expect(await balances()).toMatchObject({
		"tenant.mobile": (before["tenant.mobile"] ?? 0) - 50_000,
		"mm.float.600200": (before["mm.float.600200"] ?? 0) - 50_000,
	});
	const rest = await cards().refund({ payment_id: paymentId });
	expect(rest.body).toMatchObject({ method: "payout", amount_minor: 100_000 });
	await cards().becomes(rest.body["id"], "processed");
	expect((await cards().ask("GET", `/payments/${paymentId}`)).body).toMatchObject({
		refunded_minor: 150_000,
	});
});

test("the rest of a payment that was reversed in part is paid to the phone, and not while the reversal is open", async () => {
	const { paymentId } = await payByPrompt();
	const { body } = await cards().refund({ payment_id: paymentId, amount_minor: 50_000 });
	expect(body).toMatchObject({ method: "reversal" });
	expect(await cards().refund({ payment_id: paymentId })).toMatchObject({ body: { code: "refund_running" } });
	await cards().becomes(body["id"], "processed");
	const rest = (await cards().refund({ payment_id: paymentId })).body;
	expect(rest).toMatchObject({ method: "payout", amount_minor: 100_000 });
	await cards().becomes(rest["id"], "processed");
});

test("a payment is reversed by its number once: the rest of it is refunded, and not paid out by a second reversal", async () => {
	const prompted = await payByPrompt();
	const { body: shown } = await cards().ask("GET", `/receipts/${prompted.receiptId}`);
	for (const number of [String(shown["receipt"]), (await pay()).number]) {
		const { body } = await reverse(number, { amount_minor: 50_000 });
		expect(body).toMatchObject({ method: "reversal" });
		await cards().becomes(body["id"], "processed");
		const before = await balances();
		for (const more of [{}, { amount_minor: 10_000 }])
			expect(await reverse(number, more)).toMatchObject({
				...{ status: 409, body: { code: "reversal_too_late" } },
			});
		expect(await balances()).toEqual(before);
	}
	const rest = await cards().refund({ payment_id: prompted.paymentId });
	expect(rest.body).toMatchObject({ method: "payout", amount_minor: 100_000 });
	await cards().becomes(rest.body["id"], "processed");
});

test("a payout that returns money and whose answer is lost is found out by its id, and not sent twice", async () => {
	const { paymentId, receiptId } = await payByPrompt();
	await makeOld(receiptId);
	await till.sandbox("PUT", "/_control/faults", [
		{ operation: "payout", fault: "reset_after_commit", count: 1 },
		{ operation: "payout", fault: "drop", count: 1 },
	]);
	const before = await balances();
	const { body } = await cards().refund({ payment_id: paymentId });
	await cards().becomes(body["id"], "unknown");
	await till.wait(31);
	await cards().becomes(body["id"], "processed");
	expect(await balances()).toMatchObject({ "mm.float.600200": (before["mm.float.600200"] ?? 0) - 150_000 });
});

/** What was given back to payers, by the sandbox's truth. */
async function countReversed(): Promise<number> {
	const { movements } = (await till.sandbox("GET", "/_control/ledger")) as unknown as {
		movements: Array<{ kind: string }>;
	};
	return movements.filter(({ kind }) => kind === "reversal").length;
}

test.each(["reset_after_commit", "http_500_after_commit"])(
	"a reversal whose answer (%s) and result are lost is found out by its id, and is not sent twice",
	async (fault) => {
		const { number } = await pay();
		const [reversed, before] = [await countReversed(), await balances()];
		await till.sandbox("PUT", "/_control/faults", [
			{ operation: "reversal", fault, count: 1 },
			{ operation: "reversal", fault: "drop", count: 1 },
		]);
		const { body } = await reverse(number);
		await cards().becomes(body["id"], "unknown");
		await till.wait(31);
		await cards().becomes(body["id"], "processed");
		expect(await countReversed()).toBe(reversed + 1);
		expect(await balances()).toMatchObject({
			"mm.float.600200": (before["mm.float.600200"] ?? 0) - 150_000,
		});
	},
);

test("a reversal whose answer is lost is processed by its result, also if the gateway gave it another id than ours", async () => {
	const { number } = await pay();
	const reversed = await countReversed();
	await till.sandbox("PUT", "/_control/faults", [
		{ operation: "reversal", fault: "reset_after_commit", count: 1 },
		{ operation: "reversal", fault: "drop", count: 1 },
	]);
	const { body } = await reverse(number);
	await cards().becomes(body["id"], "unknown");
	const id = String(body["id"]);
	const dropped = async () => {
		const { items } = await till.sandbox("GET", "/_control/deliveries?limit=10000");
		return (items as Array<{ url: string; body: string }>).find((one) => one.body.includes(id));
	};
	await expect.poll(dropped).toBeDefined();
	const { url = "", body: result = "" } = (await dropped()) ?? {};
	const raw = result.replaceAll(id, "29112-34801843-1");
	expect((await fetch(url, { method: "POST", body: raw })).status).toBe(200);
	await cards().becomes(id, "processed");
	expect(await countReversed()).toBe(reversed + 1);
});

test("a reversal that the gateway refuses fails, and its money is where it was", async () => {
	const { number } = await pay();
	await till.sandbox("POST", "/_control/reset");
	const before = await balances();
	const { body } = await reverse(number);
	await cards().becomes(body["id"], "failed");
	expect(await balances()).toEqual(before);
});
