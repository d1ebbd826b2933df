import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { secretKey, startTestGateway, type TestGateway } from "./harness.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startTestGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
	await gateway.control("POST reset");
	gateway.received.length = 0;
});

const faults = (...rules: object[]) => gateway.control("PUT faults", rules);
const initialize = () =>
	gateway.call("POST /transaction/initialize", { amount: 1, email: "a@b.example", reference: "pay-1" });
const isThere = async () => (await gateway.call("GET /transaction/verify/pay-1")).status === 200;

test.each([
	["maintenance", 503, false],
	["quota", 429, false],
	["http_500_after_commit", 500, true],
])("%s answers %i, and the call had its effect: %s", async (fault, status, hadEffect) => {
	await faults({ operation: "initialize", fault, count: 1 });
	expect(await initialize()).toMatchObject({ status, body: { status: false } });
	expect(await isThere()).toBe(hadEffect);
	expect((await initialize()).status).toBe(hadEffect ? 400 : 200);
});

test.each([
	["drop", false],
	["reset_after_commit", true],
])("%s cuts the connection, and the call had its effect: %s", async (fault, hadEffect) => {
	await faults({ operation: "initialize", fault, count: 1 });
	await expect(initialize()).rejects.toThrow();
	expect(await isThere()).toBe(hadEffect);
});

test.each([
	["delay", false],
	["late_after_timeout", true],
])("%s answers as usual, later; the call has its effect before that: %s", async (fault, hasEffect) => {
	await faults({ operation: "initialize", fault, count: 1, ms: 400 });
	const answer = initialize();
	let isAnswered = false;
	void answer.finally(() => {
		isAnswered = true;
	});
	if (hasEffect) await expect.poll(isThere).toBe(true);
	else expect(await isThere()).toBe(false);
	expect(isAnswered).toBe(false);
	expect((await answer).status).toBe(200);
});

test("callback_before_ack ends a transfer and sends its event before the call is answered", async () => {
	await gateway.control("POST top-up", { amount: 1_000 });
	const asked = { type: "nuban", name: "Duka", account_number: "0100200301", bank_code: "11" };
	const { recipient_code: recipient } = (await gateway.call("POST /transferrecipient", asked)).body.data;
	await faults({ operation: "transfer", fault: "callback_before_ack", count: 1 });
	const { body } = await gateway.call("POST /transfer", { source: "balance", amount: 1, recipient });
	expect([body.data.status, gateway.received.map(({ event }) => event)]).toEqual([
		...["pending", ["transfer.success"]],
	]);
});

test("callback_before_ack sends the event of a charge before the payer is sent back", async () => {
	await faults({ operation: "checkout", fault: "callback_before_ack", count: 1 });
	const { access_code: code } = await gateway.initialize({ callback_url: "https://shop.example/" });
	const body = new URLSearchParams({ action: "pay", channel: "card" });
	await fetch(`${gateway.url}/checkout/${code}`, { method: "POST", redirect: "manual", body });
	expect(gateway.received).toHaveLength(1);
});

test("an event that is dropped is listed and not sent", async () => {
	await faults({ operation: "charge.success", fault: "drop", count: 1 });
	await gateway.pay();
	await gateway.pay();
	await expect.poll(() => gateway.received).toHaveLength(1);
	expect((await gateway.control("GET deliveries")).items).toMatchObject([{ state: "dropped" }, {}]);
});

test.each(["duplicate", "replay"])("%s sends the same bytes with the same signature twice", async (fault) => {
	await faults({ operation: "charge.success", fault, ...(fault === "replay" && { ms: 1 }) });
	await gateway.pay();
	await expect.poll(() => gateway.received).toHaveLength(2);
	const [first, second] = gateway.received;
	expect(second).toEqual({ ...first, headers: { ...first?.headers } });
});

test("reorder holds an event back until the next one was sent", async () => {
	await faults({ operation: "charge.success", fault: "reorder", count: 1, ms: 60_000 });
	const first = await gateway.pay();
	const second = await gateway.pay();
	await expect.poll(() => gateway.received.map(({ data }) => data["reference"])).toEqual([second, first]);
});

test("delay sends an event later", async () => {
	await faults({ operation: "charge.success", fault: "delay", count: 1, ms: 300 });
	const [first, second] = [await gateway.pay(), await gateway.pay()];
	await expect.poll(() => gateway.received.map(({ data }) => data["reference"])).toEqual([second, first]);
});

test("type_drift sends amounts and ids as texts, no fees, and no metadata", async () => {
	await faults({ operation: "charge.success", fault: "type_drift" });
	await gateway.pay({ metadata: { order_id: "7" } });
	expect(await gateway.latest("charge.success")).toMatchObject({
		...{ amount: "100000", requested_amount: "100000", id: expect.any(String), fees: null, metadata: "" },
	});
});

test("mutate_amount charges less than was asked, everywhere the same", async () => {
	await faults({ operation: "charge.success", fault: "mutate_amount" });
	const reference = await gateway.pay();
	const less = { amount: 50_000, requested_amount: 50_000, fees: 2_750 };
	expect((await gateway.call(`GET /transaction/verify/${reference}`)).body.data).toMatchObject(less);
	expect(await gateway.latest("charge.success")).toMatchObject(less);
	expect((await gateway.control("GET ledger")).balances.KES.unsettled).toBe(47_250);
});

test.each(["forge_unsigned", "forge_signature"])(
	"%s adds a false event that the secret key did not sign",
	async (fault) => {
		await faults({ operation: "charge.success", fault, count: 1 });
		await gateway.pay();
		await expect.poll(() => gateway.received).toHaveLength(2);
		const forged = gateway.received.find(({ data }) => data["amount"] === 1_000_000);
		const signature = createHmac("sha512", secretKey)
			.update(forged?.raw ?? "")
			.digest("hex");
		const sent = forged?.headers["x-cardgw-signature"];
		expect(sent === undefined).toBe(fault === "forge_unsigned");
		expect(sent).not.toBe(signature);
		expect((await gateway.control("GET ledger")).balances.KES.unsettled).toBe(96_500);
	},
);

test("otp_required, insufficient_float and partial_bulk happen to transfers", async () => {
	await gateway.control("POST top-up", { amount: 1_000 });
	const asked = { type: "nuban", name: "Duka", account_number: "0100200301", bank_code: "11" };
	const { recipient_code: recipient } = (await gateway.call("POST /transferrecipient", asked)).body.data;
	const transfer = { amount: 1, recipient };
	await faults(
		{ fault: "otp_required", count: 1 },
		{ operation: "transfer", fault: "insufficient_float", count: 1 },
		{ fault: "partial_bulk", count: 1 },
	);
	const send = async () => (await gateway.call("POST /transfer", { source: "balance", ...transfer })).body;
	expect((await send()).code).toBe("insufficient_balance");
	expect((await send()).data.status).toBe("otp");
	const bulk = { source: "balance", transfers: [transfer, transfer, transfer] };
	expect((await gateway.call("POST /transfer/bulk", bulk)).body.data).toHaveLength(2);
});

test("a rule that names an unknown fault or operation is refused", async () => {
	await expect(faults({ fault: "flood" })).rejects.toThrow("400");
	await expect(faults({ operation: "pay", fault: "drop" })).rejects.toThrow("400");
});
