import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Gateway, openGateway, openReceiver, pushBody } from "./gateway.ts";
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
	await gateway.signIn();
	receiver.clear();
	receiver.answerWith(() => ({ ResultCode: "0", ResultDesc: "Accepted" }));
});

const register = (members: object = {}) =>
	gateway.post("/c2b/v1/registerurl", {
		...{ ShortCode: "600100", ResponseType: "Completed" },
		...{ ConfirmationURL: `${receiver.url}/confirm/t`, ValidationURL: `${receiver.url}/validate/t` },
		...members,
	});
const simulate = (members: object = {}) =>
	gateway.post("/c2b/v1/simulate", {
		...{ ShortCode: "600100", CommandID: "CustomerPayBillOnline", Amount: 5, Msisdn: "254712345678" },
		...{ BillRefNumber: "INV-1", ...members },
	});
/** The phone pays KES 5 over the counter. */
const pay = (members: object = {}) =>
	gateway.send("POST", "/_control/phones/254712345678/pay", {
		...{ shortcode: "600100", amount_minor: 500, account: "INV-1" },
		...members,
	});
const textOf = (path: string) => receiver.received().find((one) => one.path === path)?.text ?? "{}";
const confirmations = () => receiver.bodies("/confirm/t");

test("a payment is validated, paid and confirmed where URLs are registered", async () => {
	const registered = await register();
	expect([registered.status, shapeOf(registered.text)]).toEqual([200, fixture("urls-registered")]);
	receiver.answerWith(() => ({ ResultCode: 0, ResultDesc: "Accepted", ThirdPartyTransID: "INTENT-1" }));
	const { body } = await pay();
	await expect.poll(confirmations).toHaveLength(1);
	expect(shapeOf(textOf("/validate/t"))).toEqual(fixture("validation"));
	expect(shapeOf(textOf("/confirm/t"))).toEqual(fixture("confirmation"));
	expect(receiver.bodies("/validate/t")).toMatchObject([{ TransAmount: "5", MSISDN: "25471****678" }]);
	expect(confirmations()).toMatchObject([
		{
			...{ TransID: body.receipt, TransAmount: "5.00", BillRefNumber: "INV-1", OrgAccountBalance: "5.00" },
			...{ MSISDN: "2547 ***** 678", ThirdPartyTransID: "INTENT-1", TransactionType: "Pay Bill" },
		},
	]);
	expect(await gateway.movements()).toMatchObject([{ kind: "paybill", receipt: body.receipt }]);
});

test("a payment that the payee refuses does not move money", async () => {
	await register();
	receiver.answerWith(() => ({ ResultCode: "C2B00012", ResultDesc: "Rejected" }));
	expect(await pay()).toMatchObject({
		status: 409,
		body: { error: "validation_refused", message: expect.stringContaining("C2B00012") },
	});
	expect([await gateway.movements(), confirmations()]).toEqual([[], []]);
});

test.each([
	["Completed", 200],
	["Cancelled", 409],
])("without an answer to the validation, %s decides", async (ResponseType, status) => {
	await register({ ResponseType, ValidationURL: "http://127.0.0.1:1/closed" });
	expect((await pay()).status).toBe(status);
});

test.each([
	["a payer", ""],
	["a prompt", "UHAI20"],
])("the confirmation of a till names no account, whatever %s names", async (_who, account) => {
	await register({ ShortCode: "600300" });
	expect((await pay({ shortcode: "600300", account })).status).toBe(200);
	await expect.poll(confirmations).toMatchObject([{ TransactionType: "Buy Goods", BillRefNumber: "" }]);
});

test("a payment without registered URLs is paid, and no callback is sent", async () => {
	expect((await pay()).status).toBe(200);
	expect([await gateway.movements(), receiver.received()]).toMatchObject([[{ amount_minor: 500 }], []]);
});

test.each([
	["an unknown shortcode", { shortcode: "999999" }, 409, "shortcode_unknown"],
	["too much money", { amount_minor: 10_000_100 }, 409, "balance_insufficient"],
	["a part of a shilling", { amount_minor: 150 }, 400, "FST_ERR_VALIDATION"],
])("a payment to or of %s is refused", async (...[, members, status, error]) => {
	expect(await pay(members)).toMatchObject({ status, body: { error } });
	expect(await gateway.movements()).toEqual([]);
});

test("a simulated payment goes the same way", async () => {
	await register();
	expect((await simulate()).body).toMatchObject({ ResponseCode: "0" });
	await expect.poll(confirmations).toMatchObject([{ TransAmount: "5.00" }]);
});

test.each([
	["CommandID", { CommandID: "CustomerBuyGoodsOnline" }],
	["BillRefNumber", { BillRefNumber: "" }],
	["Amount", { Amount: 0 }],
	["Msisdn", { Msisdn: "0712345678" }],
	["ShortCode", { ShortCode: "999999" }],
])("a simulation with a wrong %s is refused", async (name, members) => {
	expect((await simulate(members)).body.errorMessage).toBe(`Bad Request - Invalid ${name}`);
});

test("a production shortcode registers its URLs once, and nothing is simulated", async () => {
	await gateway.control("PUT shortcodes", [{ shortcode: "600100", environment: "production" }]);
	expect((await register()).status).toBe(200);
	expect(await register()).toMatchObject({ status: 500, body: { errorCode: "500.003.1001" } });
	expect((await simulate()).status).toBe(400);
});

test.each([
	["ValidationURL", { ValidationURL: "http://127.0.0.1/sql" }],
	["ResponseType", { ResponseType: "Maybe" }],
	["ShortCode", { ShortCode: "999999" }],
])("URLs with a wrong %s are not registered", async (name, members) => {
	expect((await register(members)).body.errorMessage).toBe(`Bad Request - Invalid ${name}`);
});

test("a pushed payment is confirmed, too, by the fault double_route only", async () => {
	await register();
	const CallBackURL = `${receiver.url}/push/t`;
	await gateway.post("/stkpush/v1/processrequest", pushBody({ CallBackURL }));
	await expect.poll(() => receiver.bodies("/push/t")).toHaveLength(1);
	await gateway.fault({ operation: "push", fault: "double_route" });
	await gateway.post("/stkpush/v1/processrequest", pushBody({ CallBackURL, Amount: "10" }));
	await expect.poll(confirmations).toHaveLength(1);
	const [, second] = receiver.bodies("/push/t");
	expect(confirmations()[0].TransID).toBe(second.Body.stkCallback.CallbackMetadata.Item[1].Value);
});

test("mutate_amount, wrong_phone and forge_wrong_token change what a confirmation says", async () => {
	await register();
	await gateway.control("PUT faults", [
		{ operation: "confirmation", fault: "mutate_amount" },
		{ operation: "confirmation", fault: "wrong_phone" },
		{ operation: "confirmation", fault: "forge_wrong_token" },
	]);
	await pay();
	await expect.poll(confirmations).toMatchObject([{ TransAmount: "6.00", MSISDN: "2547 ***** 679" }]);
	expect(receiver.bodies(`/confirm/${"0".repeat(32)}`)).toMatchObject([{ TransID: "FORGED0000" }]);
	expect(await gateway.movements()).toMatchObject([{ amount_minor: 500 }]);
});

test("a dropped validation counts as no answer", async () => {
	await register({ ResponseType: "Cancelled" });
	await gateway.fault({ operation: "validation", fault: "drop" });
	expect((await pay()).status).toBe(409);
});
