import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "./harness.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startTestGateway({ outcomeAfterMs: 1_000 });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.control("POST reset"));

const refund = (body: object) => gateway.call("POST /refund", body);
const advance = (seconds: number) => gateway.control("POST clock", { advance_seconds: seconds });
const statuses = async () =>
	(await gateway.call("GET /refund")).body.data.map(({ status }: { status: string }) => status);
const unsettled = async () => (await gateway.control("GET ledger")).balances.KES.unsettled;

test("a refund is pending, processing and processed by the clock, and the merchant gets an event for each", async () => {
	const reference = await gateway.pay();
	const { status, body } = await refund({ transaction: reference });
	expect([status, body.data]).toMatchObject([200, { amount: 100_000, status: "pending" }]);
	await advance(1);
	expect(await statuses()).toEqual(["processing"]);
	expect(await unsettled()).toBe(96_500);
	await advance(1);
	expect(await statuses()).toEqual(["processed"]);
	expect(await unsettled()).toBe(-3_500);
	expect(await gateway.events()).toEqual(["refund.pending", "refund.processing", "refund.processed"]);
	const [, ...events] = await gateway.sent();
	expect(events.map(({ data }) => data["amount"])).toEqual(["100000", "100000", "100000"]);
	expect((await gateway.call(`GET /transaction/verify/${reference}`)).body.data.status).toBe("reversed");
});

test("a part is refunded by id, and all that is left afterwards when no amount is given", async () => {
	const reference = await gateway.pay();
	const { id } = (await gateway.call(`GET /transaction/verify/${reference}`)).body.data;
	await refund({ transaction: id, amount: 30_000 });
	await advance(2);
	expect((await gateway.call(`GET /transaction/verify/${reference}`)).body.data.status).toBe("success");
	expect((await refund({ transaction: reference })).body.data.amount).toBe(70_000);
	expect((await gateway.call(`GET /refund?transaction=${id}`)).body.meta.total).toBe(2);
	expect((await gateway.call("GET /refund?transaction=other")).body.meta.total).toBe(0);
});

test.each([
	["fails", "failed", 100_000],
	["waits", "needs-attention", 0],
])("the refund of a payer refund-%s@ ends as %s", async (mailbox, status, left) => {
	const reference = await gateway.pay({ email: `refund-${mailbox}@kahawa.example` });
	await refund({ transaction: reference });
	await advance(2);
	expect(await statuses()).toEqual([status]);
	expect(await gateway.events()).toEqual(["refund.pending", "refund.processing", `refund.${status}`]);
	expect(await gateway.latest(`refund.${status}`)).toMatchObject({ amount: 100_000 });
	const again = await refund({ transaction: reference });
	expect(again.body.data?.amount ?? 0).toBe(left);
});

test("a refund that needs attention can be ended, and one that is processed stays", async () => {
	await refund({ transaction: await gateway.pay({ email: "refund-waits@kahawa.example" }) });
	await advance(2);
	const [{ id }] = (await gateway.call("GET /refund")).body.data;
	expect(await gateway.control(`POST refunds/${id}`, { outcome: "processed" })).toMatchObject({
		...{ status: "processed", deducted_amount: 100_000 },
	});
	expect(await gateway.control(`POST refunds/${id}`, { outcome: "failed" })).toMatchObject({
		status: "processed",
	});
});

test.each([
	["more than was paid", { amount: 100_001 }, "refund_amount_exceeded"],
	["another currency", { amount: 1, currency: "USD" }, "refund_amount_exceeded"],
	["an amount of 0", { amount: 0 }, "invalid_params"],
])("a refund of %s is refused", async (_of, members, code) => {
	const transaction = await gateway.pay();
	expect(await refund({ transaction, ...members })).toMatchObject({ status: 400, body: { code } });
});

test("what is unknown, not paid, or given back already is not refunded", async () => {
	const { reference: open } = await gateway.initialize();
	const back = await gateway.pay();
	await refund({ transaction: back });
	const codes = [];
	for (const transaction of ["none", open, back]) codes.push((await refund({ transaction })).body.code);
	expect(codes).toEqual(["transaction_not_found", "transaction_not_refundable", "transaction_reversed"]);
});
