import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Gateway, openGateway, openReceiver, passwordOf, pushBody, queryBody } from "./gateway.ts";
import { fixture, shapeOf } from "./shape.ts";

const receiver = await openReceiver();
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
	await gateway.control("PUT clock", { now: "2026-11-24T08:00:00Z" });
	await gateway.signIn();
	receiver.clear();
});

const callBack = `${receiver.url}/push/token`;
const push = (members: object = {}) =>
	gateway.post("/stkpush/v1/processrequest", pushBody({ CallBackURL: callBack, ...members }));
const to = (phone: string) => ({ PartyA: phone, PhoneNumber: phone });
const query = (id: string) => gateway.post("/stkpushquery/v1/query", queryBody(id));
const callbacks = () => receiver.bodies("/push/token").map(({ Body }) => Body.stkCallback);

test("a phone that ends in 001 pays by itself: answer, callback, query and ledger agree", async () => {
	const accepted = await push();
	expect([accepted.status, shapeOf(accepted.text)]).toEqual([200, fixture("push-accepted")]);
	await expect.poll(() => receiver.received()).toHaveLength(1);
	expect(shapeOf(receiver.received()[0]?.text ?? "")).toEqual(fixture("push-callback-paid"));
	const [callback] = callbacks();
	const { MerchantRequestID, CheckoutRequestID } = accepted.body;
	expect(callback).toMatchObject({ MerchantRequestID, CheckoutRequestID, ResultCode: 0 });
	const query1 = await query(CheckoutRequestID);
	expect([query1.status, shapeOf(query1.text)]).toEqual([200, fixture("push-query-ended")]);
	const [movement] = await gateway.movements();
	expect(movement).toMatchObject({
		receipt: callback.CallbackMetadata.Item[1].Value,
		kind: "push",
		from: "phone/254712345001",
		to: "shortcode/600100/utility",
		amount_minor: 25_000,
		reference: "INV-1",
	});
	expect(movement.receipt).toMatch(/^UKO[0-9A-Z]{7}$/);
	const balances = await gateway.balances();
	expect(balances).toMatchObject({ "phone/254712345001": 9_975_000, "shortcode/600100/utility": 25_000 });
	expect(Object.values(balances).reduce((sum, minor) => sum + minor)).toBe(0);
});

test.each([
	["254712345032", 1032, "Request cancelled by user"],
	["254712345201", 2001, "The initiator information is invalid."],
	["254712345100", 1, "The balance is insufficient for the transaction."],
])("the phone %s answers by itself with %i, and no money moves", async (phone, code, text) => {
	const { body } = await push(to(phone));
	await expect.poll(callbacks).toHaveLength(1);
	expect(shapeOf(receiver.received()[0]?.text ?? "")).toEqual(fixture("push-callback-failed"));
	expect(callbacks()).toMatchObject([{ ResultCode: code, ResultDesc: text }]);
	expect((await query(body.CheckoutRequestID)).body).toMatchObject({ ResultCode: String(code) });
	expect(await gateway.movements()).toEqual([]);
});

test("a phone that ends in 037 stays silent: the query is pending until the prompt ends by the clock", async () => {
	const { body } = await push(to("254712345037"));
	const pending = await query(body.CheckoutRequestID);
	expect([pending.status, shapeOf(pending.text)]).toEqual([500, fixture("error")]);
	expect(pending.body.errorCode).toBe("500.001.1001");
	await gateway.control("POST clock", { advance_seconds: 59 });
	expect((await query(body.CheckoutRequestID)).status).toBe(500);
	await gateway.control("POST clock", { advance_seconds: 1 });
	expect((await query(body.CheckoutRequestID)).body).toMatchObject({ ResultCode: "1037" });
	await expect.poll(callbacks).toMatchObject([{ ResultCode: 1037, ResultDesc: "No response from user." }]);
});

test.each([
	["accept", 0],
	["cancel", 1032],
	["wrong_pin", 2001],
	["no_balance", 1],
	["expire", 1019],
	["unreachable", 1037],
])("a person answers with %s: the result is %i", async (action, code) => {
	const phone = "254712345678";
	await push(to(phone));
	const [shown] = (await gateway.control("GET phones")).items;
	expect(shown).toMatchObject({ msisdn: phone, prompt: { payee: "Lango", amount_minor: 25_000 } });
	expect((await gateway.control(`POST phones/${phone}/${action}`)).prompt).toBeNull();
	await expect.poll(callbacks).toMatchObject([{ ResultCode: code }]);
	await expect(gateway.control(`POST phones/${phone}/${action}`)).rejects.toThrow("409");
});

test("a phone with too little money cannot accept", async () => {
	await gateway.control("PUT phones/254712345001", { balance_minor: 24_999 });
	await push();
	await expect.poll(callbacks).toMatchObject([{ ResultCode: 1 }]);
});

test("the same amount from the same phone within two minutes is refused with 17, and later paid", async () => {
	for (const seconds of [0, 60, 60]) {
		await gateway.control("POST clock", { advance_seconds: seconds });
		const before = callbacks().length;
		await push();
		await expect.poll(callbacks).toHaveLength(before + 1);
	}
	expect(callbacks().map(({ ResultCode }) => ResultCode)).toEqual([0, 17, 0]);
});

test("a till is paid by CustomerBuyGoodsOnline", async () => {
	const till = { BusinessShortCode: "600300", PartyB: "600300", Password: passwordOf("600300") };
	expect((await push(till)).body.errorMessage).toBe("Bad Request - Invalid TransactionType");
	expect((await push({ ...till, TransactionType: "CustomerBuyGoodsOnline" })).status).toBe(200);
});

test("a second prompt on a phone that shows one is refused", async () => {
	await push(to("254712345678"));
	expect(await push({ ...to("254712345678"), Amount: "10" })).toMatchObject({
		status: 500,
		body: { errorCode: "500.001.1001", errorMessage: expect.stringContaining("Unable to lock subscriber") },
	});
});

test.each([
	["BusinessShortCode", "999999"],
	["BusinessShortCode", undefined],
	["Timestamp", "2026-11-24"],
	["TransactionType", "PayMe"],
	["Amount", "0"],
	["Amount", "250001"],
	["Amount", "2.5"],
	["PhoneNumber", "0712345678"],
	["PartyA", "254712345002"],
	["PartyB", "600200"],
	["CallBackURL", "not a url"],
	["CallBackURL", "http://127.0.0.1/execute"],
	["AccountReference", "THIRTEEN-LONG"],
	["TransactionDesc", "FOURTEEN-SIGNS"],
])("a push whose %s is %s is refused", async (name, value) => {
	const refused = await push({ [name]: value });
	expect([refused.status, shapeOf(refused.text)]).toEqual([400, fixture("error")]);
	expect(refused.body).toMatchObject({
		errorCode: "400.002.02",
		errorMessage: `Bad Request - Invalid ${name}`,
	});
	expect(receiver.received()).toEqual([]);
});

test("a push with a wrong password, and a query of an unknown prompt, are refused", async () => {
	expect(await push({ Password: passwordOf("600100", "another") })).toMatchObject({
		status: 500,
		body: { errorCode: "500.001.1001", errorMessage: "Wrong credentials" },
	});
	expect(await query("ws_CO_unknown")).toMatchObject({ status: 400, body: { errorCode: "400.002.02" } });
});
