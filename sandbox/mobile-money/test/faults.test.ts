import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Gateway, openGateway, openReceiver, pushBody } from "./gateway.ts";

const receiver = await openReceiver();
const token = "0123456789abcdef0123456789abcdef";
const path = `/webhooks/push/${token}`;
let gateway: Gateway;
beforeAll(async () => {
	gateway = await openGateway();
});
afterAll(async () => {
	await gateway.stop();
	receiver.close();
});
beforeEach(async () => {
	await gateway.control("POST reset");
	await gateway.signIn();
	receiver.clear();
});

/** A push to a phone that pays by itself, unless another is named. */
const push = (phone = "254712345001", amount = "250") =>
	gateway.post(
		"/stkpush/v1/processrequest",
		pushBody({ CallBackURL: `${receiver.url}${path}`, PartyA: phone, PhoneNumber: phone, Amount: amount }),
	);
const codesAt = (at: string) => receiver.bodies(at).map(({ Body }) => Body.stkCallback.ResultCode);
const codes = () => codesAt(path);
const metadata = () =>
	Object.fromEntries(
		receiver
			.bodies(path)[0]
			.Body.stkCallback.CallbackMetadata.Item.map(({ Name, Value }: { Name: string; Value: unknown }) => [
				Name,
				Value,
			]),
	);
const paid = async () => (await gateway.movements()).map((one: { amount_minor: number }) => one.amount_minor);

test.each([
	["spike_arrest", 500, "500.003.02"],
	["quota", 500, "500.003.03"],
	["token_invalidate", 404, "404.001.03"],
])("%s refuses the call with %i %s, and nothing is paid", async (fault, status, errorCode) => {
	await gateway.fault({ operation: "push", fault, count: 1 });
	expect(await push()).toMatchObject({ status, body: { errorCode } });
	await gateway.signIn();
	expect((await push()).status).toBe(200);
	await expect.poll(codes).toEqual([0]);
	expect(await paid()).toEqual([25_000]);
});

test("a token that a fault invalidated stays invalid", async () => {
	await gateway.fault({ fault: "token_invalidate", count: 1 });
	await push();
	expect(await push()).toMatchObject({ status: 404, body: { errorCode: "404.001.03" } });
});

test("maintenance answers 503 as HTML", async () => {
	await gateway.fault({ fault: "maintenance" });
	expect(await push()).toMatchObject({ status: 503, text: expect.stringContaining("<h1>") });
});

test("http_500_after_commit and reset_after_commit hide the answer, and the payment comes nevertheless", async () => {
	await gateway.fault({ operation: "push", fault: "http_500_after_commit", count: 1 });
	expect(await push()).toMatchObject({ status: 500, body: { errorCode: "500.003.1001" } });
	await expect.poll(codes).toEqual([0]);
	await gateway.fault({ operation: "push", fault: "reset_after_commit", count: 1 });
	await expect(push("254712345001", "300")).rejects.toThrow();
	await expect.poll(codes).toEqual([0, 0]);
	expect(await paid()).toEqual([25_000, 30_000]);
});

test("callback_before_ack sends the callback before the answer", async () => {
	await gateway.fault({ operation: "push", fault: "callback_before_ack" });
	await push();
	expect(codes()).toEqual([0]);
});

test("drop pays and sends nothing; duplicate sends twice; delay sends later", async () => {
	await gateway.fault({ fault: "drop", count: 1 });
	await push();
	await expect.poll(async () => (await gateway.control("GET deliveries")).items[0]?.state).toBe("dropped");
	expect([codes(), await paid()]).toEqual([[], [25_000]]);
	await gateway.fault({ fault: "duplicate", count: 1 });
	await push("254712345001", "300");
	await expect.poll(codes).toEqual([0, 0]);
	await gateway.fault({ fault: "delay", ms: 1, count: 1 });
	await push("254712345001", "400");
	await expect.poll(codes).toEqual([0, 0, 0]);
});

test("reorder keeps a callback back until the next one has been sent", async () => {
	await gateway.fault({ fault: "reorder", count: 1, ms: 60_000 });
	await push("254712345032");
	await expect.poll(async () => (await gateway.control("GET deliveries")).items.length).toBe(1);
	await push();
	await expect.poll(codes).toEqual([0, 1032]);
});

test("late_after_timeout says first that the prompt has no answer, then that it is paid", async () => {
	await gateway.fault({ fault: "late_after_timeout", ms: 1 });
	await push();
	await expect.poll(codes).toEqual([1037, 0]);
	expect(await paid()).toEqual([25_000]);
});

test("type_drift sends numbers as text", async () => {
	await gateway.fault({ fault: "type_drift" });
	await push();
	await expect.poll(codes).toEqual(["0"]);
	expect(metadata()).toMatchObject({ Amount: "250.00", PhoneNumber: "254712345001" });
});

test("mutate_amount and wrong_phone change the callback and not the ledger", async () => {
	await gateway.control("PUT faults", [{ fault: "mutate_amount" }, { fault: "wrong_phone" }]);
	await push();
	await expect.poll(codes).toEqual([0]);
	expect(metadata()).toMatchObject({ Amount: 251, PhoneNumber: 254712345002 });
	expect(await paid()).toEqual([25_000]);
});

test.each([
	["forge_no_token", "/webhooks/push"],
	["forge_wrong_token", `/webhooks/push/${"0".repeat(32)}`],
])("%s sends a false success to %s, and nothing is paid", async (fault, forgedPath) => {
	await gateway.fault({ fault });
	await push("254712345032");
	await expect.poll(codes).toEqual([1032]);
	expect([codesAt(forgedPath), await paid()]).toEqual([[0], []]);
});

test("forge_replay sends the true callback again", async () => {
	await gateway.fault({ fault: "forge_replay", ms: 1 });
	await push();
	await expect.poll(codes).toEqual([0, 0]);
	expect(await paid()).toEqual([25_000]);
});
