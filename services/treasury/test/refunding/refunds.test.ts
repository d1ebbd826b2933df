import { randomUUID } from "node:crypto";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { openTill } from "../till.ts";
import { openCards } from "./card-payments.ts";

const till = setUp(openTill);
const cards = () => openCards(till);
afterEach(async () => {
	await till.cards("PUT", "/_control/faults", []);
});
const balances = () => till.balances(till.tenants.uhai);
const changed = async (id: unknown) =>
	(await till.published("treasury.refund.changed", till.tenants.uhai))
		.filter((one) => one["refund_id"] === id)
		.map((one) => one["status"]);

test("a card payment is refunded in full: its money is held, sent back once, and taken out of the books", async () => {
	const payment = await cards().pay();
	const before = await balances();
	const asked = await cards().refund({ payment_id: payment.paymentId });
	expect(asked).toMatchObject({
		status: 202,
		body: { status: "requested", amount_minor: 100_000, method: "card", payment_id: payment.paymentId },
	});
	expect(await balances()).toEqual({
		...before,
		"tenant.pending": (before["tenant.pending"] ?? 0) - 100_000,
		"tenant.refunding": 100_000,
	});
	const { id } = asked.body;
	await till.service.jobs.runDue();
	await till.wait(20);
	await cards().becomes(id, "processed");
	expect(await balances()).toMatchObject({ "tenant.refunding": 0, "tenant.fees_due": 3_500 });
	expect(await cards().intent(payment.intentId)).toMatchObject({ refunded_minor: 100_000 });
	expect((await cards().ask("GET", "/receipts?kind=reversal")).body["items"]).toMatchObject([
		{ refund_id: id, gateway: "card_gateway", amount_minor: 100_000, state: "allocated" },
	]);
	expect(await changed(id)).toEqual(["requested", "submitting", "pending", "processing", "processed"]);
	expect((await till.published("treasury.intent.changed", till.tenants.uhai)).at(-1)).toMatchObject({
		...{ intent_id: payment.intentId, refunded_minor: 100_000 },
	});
	expect((await cards().ask("GET", `/refunds?payment_id=${payment.paymentId}`)).body["items"]).toHaveLength(
		1,
	);
});

/** Money of the hospital that is not fees or mobile money. */
const money = async () => {
	const { "tenant.pending": pending = 0, "tenant.refunding": refunding = 0, ...more } = await balances();
	return { pending, refunding, disputed: more["tenant.disputed"] ?? 0, debt: more["tenant.debt"] ?? 0 };
};

test("two equal partial refunds of one payment are processed once each, and a third of what is not left is refused", async () => {
	const { paymentId, intentId } = await cards().pay();
	const before = await money();
	const ids = [];
	for (const reason of ["One dish was missing", "Another dish was missing"]) {
		const { body } = await cards().refund({ payment_id: paymentId, amount_minor: 40_000, reason });
		ids.push(body["id"]);
	}
	expect(await cards().refund({ payment_id: paymentId, amount_minor: 20_001 })).toMatchObject({
		...{ status: 409, body: { code: "refund_exceeds_payment" } },
	});
	await till.service.jobs.runDue();
	await till.wait(20);
	for (const id of ids) await cards().becomes(id, "processed");
	expect(await money()).toEqual({ ...before, pending: before.pending - 80_000 });
	expect(await cards().intent(intentId)).toMatchObject({ refunded_minor: 80_000 });
	const last = await cards().refund({ payment_id: paymentId });
	expect(last.body).toMatchObject({ amount_minor: 20_000 });
	await till.service.jobs.runDue();
	await till.wait(20);
	await cards().becomes(last.body["id"], "processed");
});

/** What the gateway returned of a charge, by the sandbox's truth. */
async function returnedOf(reference: string): Promise<number[]> {
	const { movements } = (await till.cards("GET", "/_control/ledger?limit=10000")) as {
		movements: Array<{ kind: string; subject: string; amount: number }>;
	};
	return movements
		.filter(({ kind, subject }) => kind === "refund" && subject === reference)
		.map(({ amount }) => -amount);
}

test("of a charge whose payer bore the fee all that was asked for is returned, and not the fee", async () => {
	const { paymentId, intentId, reference } = await cards().pay("bears-fee@example.com");
	const { body } = await cards().refund({ payment_id: paymentId });
	expect(body).toMatchObject({ amount_minor: 100_000 });
	await till.service.jobs.runDue();
	await till.wait(20);
	await cards().becomes(body["id"], "processed");
	expect(await returnedOf(reference)).toEqual([100_000]);
	expect(await cards().intent(intentId)).toMatchObject({ refunded_minor: 100_000 });
});

test("a refund that fails gives its money back: pending again while the payment is not released", async () => {
	const before = await money();
	const { paymentId, intentId } = await cards().pay("refund-fails@example.com");
	const { body } = await cards().refund({ payment_id: paymentId });
	await till.service.jobs.runDue();
	await till.wait(20);
	await cards().becomes(body["id"], "failed");
	expect(await money()).toEqual({ ...before, pending: before.pending + 100_000 });
	expect(await cards().intent(intentId)).toMatchObject({ refunded_minor: 0 });
	expect((await cards().refundNow(body["id"]))["failure_code"]).toBe("failed");
});

test("a refund whose answer is lost is found out, and not sent twice", async () => {
	const { paymentId, reference } = await cards().pay();
	await till.cards("PUT", "/_control/faults", [
		{ operation: "refund", fault: "reset_after_commit", count: 1 },
		{ operation: "refund.pending", fault: "drop", count: 1 },
	]);
	const { body } = await cards().refund({ payment_id: paymentId });
	await cards().becomes(body["id"], "unknown");
	await till.wait(31);
	await till.wait(100);
	await cards().becomes(body["id"], "processed");
	const { movements } = (await till.cards("GET", "/_control/ledger")) as {
		movements: Array<{ kind: string; subject: string }>;
	};
	expect(movements.filter(({ kind, subject }) => kind === "refund" && subject === reference)).toHaveLength(1);
});

const refundAtGateway = (reference: string) =>
	fetch(`${till.cardGateway.url}/refund`, {
		method: "POST",
		headers: { authorization: "Bearer sk_test_lango_sandbox", "content-type": "application/json" },
		body: JSON.stringify({ transaction: reference, amount: 30_000 }),
	});

test("a refund that is made at the gateway becomes one here, and its money is taken out of the books", async () => {
	const payment = await cards().pay();
	const before = await money();
	await refundAtGateway(payment.reference);
	const made = async () => {
		await till.service.jobs.runDue();
		const { body } = await cards().ask("GET", `/refunds?receipt_id=${payment.receiptId}`);
		return (body["items"] as Array<Record<string, unknown>>)[0];
	};
	await expect.poll(made).toMatchObject({ origin: "gateway", amount_minor: 30_000, payment_id: null });
	await till.wait(20);
	await cards().becomes((await made())?.["id"], "processed");
	expect(await money()).toEqual({ ...before, pending: before.pending - 30_000 });
	expect(await cards().intent(payment.intentId)).toMatchObject({ refunded_minor: 30_000 });
});

const halt = (isOn: boolean) =>
	till.call({
		...{ method: "PUT", url: "/api/v1/platform/halts", token: till.token(till.tenants.lango, "superuser") },
		body: { scope: "refunds", is_on: isOn, because: "An audit" },
	});

test("a refund waits while refunds are halted, and is sent once afterwards", async () => {
	const { paymentId } = await cards().pay();
	const { body } = await cards().refund({ payment_id: paymentId });
	await halt(true);
	await cards().becomes(body["id"], "requested");
	expect(await cards().refund({ payment_id: paymentId })).toMatchObject({ body: { code: "halted" } });
	await halt(false);
	await till.wait(61);
	await till.wait(20);
	await cards().becomes(body["id"], "processed");
});

test("a refund that waits fails if too much was returned meanwhile, and is not sent", async () => {
	const { paymentId, receiptId, reference } = await cards().pay();
	const { body } = await cards().refund({ payment_id: paymentId, amount_minor: 80_000 });
	await halt(true);
	await cards().becomes(body["id"], "requested");
	await refundAtGateway(reference);
	const known = async () => {
		await till.service.jobs.runDue();
		return (await cards().ask("GET", `/refunds?receipt_id=${receiptId}`)).body["items"];
	};
	await expect.poll(known).toHaveLength(2);
	await halt(false);
	await till.wait(61);
	await cards().becomes(body["id"], "failed");
	expect(await cards().refundNow(body["id"])).toMatchObject({ failure_code: "refund_exceeds_payment" });
	expect(await changed(body["id"])).not.toContain("submitting");
});

test("a refund that the gateway does not take now is sent later and later, and not given up for hours", async () => {
	const { paymentId } = await cards().pay();
	await till.cards("PUT", "/_control/faults", [{ operation: "refund", fault: "quota" }]);
	const { body } = await cards().refund({ payment_id: paymentId });
	for (let seconds = 0; seconds <= 300; seconds += 31) await till.wait(31);
	expect(await cards().refundNow(body["id"])).toMatchObject({ status: "requested" });
	await till.cards("PUT", "/_control/faults", []);
	await till.wait(600);
	await till.wait(20);
	await cards().becomes(body["id"], "processed");
	expect((await changed(body["id"])).filter((status) => status === "submitting")).toHaveLength(4);
});

test("a refund that waits fails once the payer disputes the payment: the money is not returned twice", async () => {
	const { paymentId, reference, intentId } = await cards().pay();
	await till.cards("PUT", "/_control/faults", [{ operation: "refund", fault: "quota" }]);
	const { body } = await cards().refund({ payment_id: paymentId });
	await cards().becomes(body["id"], "requested");
	await till.cards("POST", "/_control/dispute", { reference });
	const disputes = async () => {
		await till.service.jobs.runDue();
		return (await cards().ask("GET", "/disputes")).body["items"];
	};
	await expect.poll(disputes).toMatchObject([{ status: "open" }]);
	await till.cards("PUT", "/_control/faults", []);
	await till.wait(61);
	await cards().becomes(body["id"], "failed");
	expect(await cards().refundNow(body["id"])).toMatchObject({ failure_code: "payment_disputed" });
	expect(await cards().intent(intentId)).toMatchObject({ refunded_minor: 0 });
});

test.each([
	["without an Idempotency-Key", { headers: {} }, 400, "idempotency_key_required"],
	["of a payment and a receipt at once", { body: { receipt_id: randomUUID() } }, 400, "invalid_input"],
	["of a payment that does not exist", { body: { payment_id: randomUUID() } }, 404, "payment_not_found"],
	["of more than was paid", { body: { amount_minor: 100_001 } }, 409, "refund_exceeds_payment"],
])("a refund %s is refused", async (_what, more, ...[status, code]) => {
	const { paymentId } = await cards().pay();
	const asked = { payment_id: paymentId, reason: "A mistake" };
	const request = {
		headers: { "idempotency-key": randomUUID() },
		...more,
		body: { ...asked, ...("body" in more && more.body) },
	};
	expect(await cards().ask("POST", "/refunds", request)).toMatchObject({ status, body: { code } });
});

test("the same Idempotency-Key returns the same refund, also at once, and with another request it is refused", async () => {
	const desk = cards();
	const { paymentId } = await desk.pay();
	const asked = { payment_id: paymentId, amount_minor: 60_000 };
	const key = `key-${paymentId}`;
	const answers = await Promise.all([desk.refund(asked, key), desk.refund(asked, key)]);
	expect(answers.map(({ status, body }) => [status, body["code"]])).toEqual([
		[202, undefined],
		[202, undefined],
	]);
	expect(answers[0]?.body["id"]).toBe(answers[1]?.body["id"]);
	expect(await desk.refund({ ...asked, amount_minor: 1 }, key)).toMatchObject({
		...{ status: 409, body: { code: "idempotency_key_reused" } },
	});
});
