import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { now, startTestGateway, type TestGateway } from "./harness.ts";

let gateway: TestGateway;
let slow: TestGateway;

beforeAll(async () => {
	gateway = await startTestGateway({ outcomeAfterMs: 1_000 });
	slow = await startTestGateway({ settlementDays: 2, settlesTo: "balance" });
});
afterAll(async () => {
	await gateway.stop();
	await slow.stop();
});
beforeEach(async () => {
	await gateway.control("POST reset");
	await gateway.control("PUT clock", { now });
});

const until = (at: string, of = gateway) => of.control("PUT clock", { now: at });
const settlements = async (of = gateway) => (await of.call("GET /settlement")).body.data;
const disputes = async (query = "") => {
	const { data } = (await gateway.call(`GET /dispute${query}`)).body;
	return data.map((one: { resolution: string | null; transaction: { reference: string } }) => [
		...[one.resolution, one.transaction.reference],
	]);
};
const balances = async (of = gateway) => (await of.control("GET ledger")).balances.KES;

test("the charges of a day are settled at 01:00 of the next, and paid out at 08:00", async () => {
	const first = await gateway.pay();
	await until("2026-11-25T00:30:00Z");
	await gateway.pay({ amount: 1_000 });
	await until("2026-11-25T01:00:00Z");
	expect(await settlements()).toMatchObject([
		{
			...{ status: "pending", total_processed: 100_000, total_fees: 3_500, total_amount: 96_500 },
			...{ effective_amount: 96_500, deductions: null, settlement_date: "2026-11-25T00:00:00.000Z" },
		},
	]);
	await until("2026-11-25T08:00:00Z");
	const [{ id, status }] = await settlements();
	expect(status).toBe("success");
	expect(await balances()).toEqual({ unsettled: -1_015, balance: 0, bank: 96_500, fees: 5_515 });
	const lines = (await gateway.call(`GET /settlement/${id}/transactions`)).body;
	expect(lines).toMatchObject({ data: [{ reference: first, fees: 3_500 }], meta: { total_volume: 100_000 } });
	expect((await gateway.call("GET /settlement/1/transactions")).status).toBe(404);
	expect((await gateway.call("GET /settlement?to=2026-11-24")).body.data).toEqual([]);
});

test("with T+2 charges are settled two days later, into the balance if the gateway is set up so", async () => {
	await slow.pay();
	await until("2026-11-25T23:00:00Z", slow);
	expect(await settlements(slow)).toEqual([]);
	await until("2026-11-26T08:00:00Z", slow);
	expect(await settlements(slow)).toMatchObject([{ status: "success", effective_amount: 96_500 }]);
	expect(await balances(slow)).toMatchObject({ unsettled: 0, balance: 96_500, bank: 0 });
});

test("a gateway that settles into its balance takes refunds and lost disputes from there, and its settlements deduct nothing", async () => {
	const before = await balances(slow);
	const [refunded, disputed] = [await slow.pay(), await slow.pay()];
	await slow.call("POST /refund", { transaction: refunded, amount: 40_000 });
	const { id } = await slow.control("POST dispute", { reference: disputed });
	await slow.control(`POST disputes/${id}/resolve`, { resolution: "merchant-accepted" });
	await slow.control("PUT clock", { advance_seconds: 60 });
	expect((await balances(slow)).balance).toBe(before.balance - 140_000);
	const { items } = await slow.control("POST settle", {});
	expect(items).toMatchObject([{ processed: 200_000, fees: 7_000, deductions: 0 }]);
	expect(await balances(slow)).toMatchObject({ unsettled: 0, balance: before.balance + 53_000 });
});

test("a settlement deducts refunds, and waits while there are more of them than charges", async () => {
	const reference = await gateway.pay();
	await gateway.call("POST /refund", { transaction: reference });
	await until("2026-11-25T08:00:00Z");
	expect(await settlements()).toEqual([]);
	await gateway.pay();
	const { items } = await gateway.control("POST settle", {});
	expect(items).toHaveLength(1);
	expect(await settlements()).toMatchObject([
		{ total_processed: 200_000, total_fees: 7_000, deductions: 100_000, effective_amount: 93_000 },
	]);
	expect(await balances()).toMatchObject({ unsettled: 0, bank: 93_000 });
});

test("a settlement of the fault settlement_fee_error takes more than the webhooks said", async () => {
	await gateway.control("PUT faults", [{ operation: "settle", fault: "settlement_fee_error", count: 1 }]);
	await gateway.pay();
	await gateway.control("POST settle", {});
	const [{ id, total_fees: fees }] = await settlements();
	const lines = (await gateway.call(`GET /settlement/${id}/transactions`)).body.data;
	expect([fees, lines[0].fees]).toEqual([3_600, 3_600]);
	expect(await balances()).toEqual({ unsettled: 0, balance: 0, bank: 96_400, fees: 3_600 });
});

test("a dispute is published, published again a day before it is due, and lost when it is due", async () => {
	const reference = await gateway.pay();
	await gateway.control("POST dispute", { reference, amount: 40_000, due_in_hours: 48 });
	await until("2026-11-26T08:00:00Z");
	const [, ...events] = await gateway.sent();
	expect(events.map(({ event, data }) => [event, data["status"], data["resolution"]])).toEqual([
		["charge.dispute.create", "awaiting-merchant-feedback", null],
		["charge.dispute.remind", "awaiting-merchant-feedback", null],
		["charge.dispute.resolve", "resolved", "auto-accepted"],
	]);
	expect(events.at(-1)?.data).toMatchObject({ refund_amount: 40_000, transaction: { reference } });
	expect(await disputes("?status=resolved")).toEqual([["auto-accepted", reference]]);
	expect(await disputes("?status=awaiting-merchant-feedback")).toEqual([]);
	await gateway.pay();
	await gateway.control("POST settle", {});
	expect((await settlements())[0]).toMatchObject({ deductions: 40_000 });
});

test("the list has the disputes that were raised within a time, the newest first, also those of one transaction", async () => {
	const [first, second] = [await gateway.pay(), await gateway.pay()];
	await gateway.control("POST dispute", { reference: first });
	await until("2026-11-25T08:00:00Z");
	const { id } = await gateway.control("POST dispute", { reference: second });
	await gateway.control(`POST disputes/${id}/resolve`, { resolution: "declined" });
	expect(await disputes()).toEqual([
		["declined", second],
		[null, first],
	]);
	expect(await disputes("?perPage=1&page=2")).toEqual([[null, first]]);
	expect(await disputes("?from=2026-11-25")).toEqual([["declined", second]]);
	const { transaction } = (await gateway.call(`GET /dispute/${id}`)).body.data;
	expect(await disputes(`?transaction=${transaction.id}`)).toEqual([["declined", second]]);
	expect((await gateway.call("GET /dispute/1")).status).toBe(404);
});

test.each([
	["declined", "success", 96_500],
	["merchant-accepted", "reversed", -3_500],
])("a dispute that is %s leaves the transaction %s", async (resolution, status, unsettled) => {
	const reference = await gateway.pay();
	const { id } = await gateway.control("POST dispute", { reference });
	expect((await gateway.control("GET overview")).disputes).toMatchObject([{ id, reference }]);
	await gateway.control(`POST disputes/${id}/resolve`, { resolution });
	await gateway.control(`POST disputes/${id}/resolve`, { resolution: "merchant-accepted" });
	expect((await gateway.call(`GET /transaction/verify/${reference}`)).body.data.status).toBe(status);
	expect((await balances()).unsettled).toBe(unsettled);
	expect((await gateway.control("GET overview")).disputes).toEqual([]);
});

test.each([
	["an open transaction", async () => (await gateway.initialize()).reference],
	[
		"a disputed transaction",
		async () => {
			const reference = await gateway.pay();
			await gateway.control("POST dispute", { reference });
			return reference;
		},
	],
	["an unknown transaction", async () => "none"],
])("%s cannot be disputed", async (_what, referenceOf) => {
	const reference = await referenceOf();
	await expect(gateway.control("POST dispute", { reference })).rejects.toThrow(/dispute_refused|not_found/);
});
