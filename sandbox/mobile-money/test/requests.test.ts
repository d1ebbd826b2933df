import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { credentialOf, type Gateway, openGateway, openReceiver, pushBody } from "./gateway.ts";
import { fixture, shapeOf } from "./shape.ts";

const receiver = await openReceiver();
const [result, timeout] = ["/result", "/timeout"];
let gateway: Gateway;
let credential = "";
beforeAll(async () => {
	gateway = await openGateway();
	credential = await credentialOf(gateway);
});
afterAll(async () => {
	await gateway.stop();
	receiver.close();
});
beforeEach(async () => {
	await gateway.control("POST reset");
	await gateway.control("PUT clock", { now: "2026-11-24T08:00:00Z" });
	await gateway.control("PUT shortcodes", [
		{ shortcode: "600100", utility_minor: 100_000, working_minor: 50_000 },
	]);
	await gateway.signIn();
	receiver.clear();
});

const urls = { ResultURL: `${receiver.url}${result}`, QueueTimeOutURL: `${receiver.url}${timeout}` };
const common = () => ({ Remarks: "Test", ...urls, SecurityCredential: credential });
const payout = (members: object = {}) =>
	gateway.post("/b2c/v1/paymentrequest", {
		...{ InitiatorName: "sandbox-initiator", CommandID: "BusinessPayment", Amount: "100" },
		...{ PartyA: "600100", PartyB: "254712345678", ...common(), ...members },
	});
const business = (members: object = {}) =>
	gateway.post("/b2b/v1/paymentrequest", {
		...{ Initiator: "sandbox-initiator", CommandID: "BusinessPayBill", SenderIdentifierType: "4" },
		...{ RecieverIdentifierType: "4", Amount: "100", PartyA: "600100", PartyB: "600500" },
		...{ AccountReference: "INV-1", ...common(), ...members },
	});
const status = (members: object = {}) =>
	gateway.post("/transactionstatus/v1/query", {
		...{ Initiator: "sandbox-initiator", CommandID: "TransactionStatusQuery", PartyA: "600100" },
		...{ IdentifierType: "4", ...common(), ...members },
	});
const reversal = (members: object = {}) =>
	gateway.post("/reversal/v1/request", {
		...{ Initiator: "sandbox-initiator", CommandID: "TransactionReversal", Amount: "250" },
		...{ ReceiverParty: "600100", RecieverIdentifierType: "11", ...common(), ...members },
	});
const balance = (members: object = {}) =>
	gateway.post("/accountbalance/v1/query", {
		...{ Initiator: "sandbox-initiator", CommandID: "AccountBalance", PartyA: "600100" },
		...{ IdentifierType: "4", ...common(), ...members },
	});

/** Waits for the result, and returns its text, its member `Result`, and its parameters by name. */
async function nextResult() {
	await expect.poll(() => receiver.received()).not.toEqual([]);
	const [{ text = "" } = {}] = receiver.received();
	receiver.clear();
	const { Result } = JSON.parse(text);
	const list = [Result.ResultParameters?.ResultParameter ?? []].flat();
	const parameters = Object.fromEntries(list.map(({ Key, Value }) => [Key, Value]));
	return { text, result: Result, parameters };
}

test("a payout moves money from the utility account to the phone; answer, result and ledger agree", async () => {
	const accepted = await payout({ OriginatorConversationID: "own-1" });
	expect([accepted.status, shapeOf(accepted.text)]).toEqual([200, fixture("accepted")]);
	expect(accepted.body.OriginatorConversationID).toBe("own-1");
	const { text, result: outcome, parameters } = await nextResult();
	expect(shapeOf(text)).toEqual(fixture("payout-paid"));
	expect(outcome).toMatchObject({
		ConversationID: accepted.body.ConversationID,
		OriginatorConversationID: "own-1",
	});
	expect(parameters).toMatchObject({ TransactionAmount: 100, B2CUtilityAccountAvailableFunds: 900 });
	expect(await gateway.movements()).toMatchObject([
		{
			...{ kind: "payout", receipt: outcome.TransactionID, amount_minor: 10_000 },
			...{ from: "shortcode/600100/utility", to: "phone/254712345678" },
			originator_conversation_id: "own-1",
		},
	]);
});

test("a payout to a personal till reaches its account", async () => {
	await payout({ PartyB: "700100" });
	expect((await nextResult()).result.ResultCode).toBe(0);
	expect(await gateway.balances()).toMatchObject({ "shortcode/700100/utility": 10_000 });
});

test.each([
	["2040 for a phone that is not registered", {}, 2040],
	["2040 for a number that is not a personal till", { PartyB: "600200" }, 2040],
	["1 for more than the utility account holds", { PartyB: "254712345001", Amount: "1001" }, 1],
	["2001 for an unknown initiator", { InitiatorName: "nobody" }, 2001],
	["2001 for a credential that is not encrypted", { SecurityCredential: "U2FuZGJveC0yMDI2IQ==" }, 2001],
])(
	"a payout ends with %s, with a placeholder as receipt, and nothing moves",
	async (_what, members, code) => {
		await gateway.control("PUT phones/254712345678", { is_registered: false });
		await payout(members);
		const { text, result: outcome } = await nextResult();
		expect(shapeOf(text)).toEqual(fixture("failed"));
		expect(outcome).toMatchObject({ ResultCode: code, TransactionID: "UKO0000000" });
		expect(await gateway.movements()).toEqual([]);
	},
);

test("five wrong passwords in a row lock the initiator until the shortcode is changed", async () => {
	const wrong = { SecurityCredential: await credentialOf(gateway, "wrong") };
	const codeOf = async (members: object = {}) => {
		await payout(members);
		return (await nextResult()).result.ResultCode;
	};
	for (let n = 0; n < 4; n += 1) expect(await codeOf(wrong)).toBe(2001);
	expect(await codeOf()).toBe(0);
	for (let n = 0; n < 5; n += 1) expect(await codeOf(wrong)).toBe(2001);
	expect(await codeOf()).toBe(8006);
	await gateway.control("PUT shortcodes", [{ shortcode: "600100" }]);
	expect(await codeOf()).toBe(0);
});

test("a used OriginatorConversationID is refused, and nothing moves again", async () => {
	await payout({ OriginatorConversationID: "own-1" });
	const refused = await business({ OriginatorConversationID: "own-1" });
	expect([refused.status, shapeOf(refused.text)]).toEqual([500, fixture("error")]);
	expect(refused.body).toMatchObject({
		errorCode: "500.002.1001",
		errorMessage: "Duplicate OriginatorConversationID.",
	});
	expect(await gateway.movements()).toHaveLength(1);
});

test.each([
	["BusinessPayBill", "600500", "shortcode/600100/working", "shortcode/600500/utility"],
	["MerchantToMerchantTransfer", "600300", "shortcode/600100/working", "shortcode/600300/utility"],
	["MerchantTransferFromMerchantToWorking", "600100", "shortcode/600100/utility", "shortcode/600100/working"],
])("%s to %s moves money from %s to %s", async (...[CommandID, PartyB, from, to]) => {
	expect(shapeOf((await business({ CommandID, PartyB })).text)).toEqual(fixture("accepted"));
	const { text, parameters } = await nextResult();
	expect(shapeOf(text)).toEqual(fixture("business-paid"));
	expect(parameters).toMatchObject({ Amount: "100.00", Currency: "KES" });
	expect(await gateway.movements()).toMatchObject([{ from, to, amount_minor: 10_000 }]);
});

test.each([
	["2028 for a payee of another kind", { PartyB: "600300" }, 2028],
	["2028 for an unknown payee", { PartyB: "999999" }, 2028],
	["2028 for another working account", { CommandID: "MerchantTransferFromMerchantToWorking" }, 2028],
	["1 for more than the working account holds", { Amount: "501" }, 1],
	["2001 for an unknown initiator", { Initiator: "nobody" }, 2001],
])("a business payment ends with %s, and nothing moves", async (_what, members, code) => {
	await business(members);
	const { text, result: outcome } = await nextResult();
	expect(shapeOf(text)).toEqual(fixture("business-failed"));
	expect(outcome.ResultCode).toBe(code);
	expect(await gateway.movements()).toEqual([]);
});

test("a status query finds a payout by its originator id and by its receipt, also a failed one", async () => {
	await payout({ OriginatorConversationID: "own-1" });
	const { TransactionID } = (await nextResult()).result;
	for (const by of [{ TransactionID }, { OriginalConversationID: "own-1" }]) {
		await status(by);
		const { text, parameters } = await nextResult();
		expect(shapeOf(text)).toEqual(fixture("status-found"));
		expect(parameters).toMatchObject({
			...{ TransactionStatus: "Completed", ReceiptNo: TransactionID, Amount: "100" },
			...{ DebitPartyName: "600100 - Lango", OriginatorConversationID: "own-1" },
		});
	}
	await payout({ OriginatorConversationID: "own-2", Amount: "5000" });
	await nextResult();
	await status({ OriginalConversationID: "own-2" });
	expect((await nextResult()).parameters).toMatchObject({ TransactionStatus: "Failed" });
});

test("a status query of an unknown receipt, and of somebody else's, ends with 2032", async () => {
	await gateway.control("POST phones/254712345001/pay", { shortcode: "600200", amount_minor: 500 });
	const [{ receipt }] = await gateway.movements();
	for (const TransactionID of ["UKO1234567", receipt]) {
		await status({ TransactionID });
		const { text, result: outcome } = await nextResult();
		expect(shapeOf(text)).toEqual(fixture("status-unknown"));
		expect(outcome.ResultCode).toBe(2032);
	}
	expect((await status()).body.errorMessage).toBe("Bad Request - Invalid TransactionID");
});

/** A payment of KES 250 by a prompt; returns its receipt. */
async function paid(): Promise<string> {
	await gateway.post("/stkpush/v1/processrequest", pushBody());
	await expect.poll(gateway.movements).toHaveLength(1);
	return (await gateway.movements())[0].receipt;
}

test("a reversal gives a payment back, once", async () => {
	const TransactionID = await paid();
	await reversal({ TransactionID });
	const { text, result: outcome } = await nextResult();
	expect(shapeOf(text)).toEqual(fixture("reversal-done"));
	expect(await gateway.movements()).toMatchObject([
		{ reversed_by: outcome.TransactionID },
		{ kind: "reversal", to: "phone/254712345001", amount_minor: 25_000, reverses: TransactionID },
	]);
	await reversal({ TransactionID });
	expect((await nextResult()).result.ResultCode).toBe("R000001");
});

test("a reversal of an unknown payment ends with R000002, of too much or after 24 hours with 17", async () => {
	await reversal({ TransactionID: "UKO1234567" });
	const { text, result: outcome } = await nextResult();
	expect([shapeOf(text), outcome.ResultCode]).toEqual([fixture("reversal-failed"), "R000002"]);
	const TransactionID = await paid();
	await reversal({ TransactionID, Amount: "251" });
	expect((await nextResult()).result.ResultCode).toBe(17);
	await gateway.control("POST clock", { advance_seconds: 86_401 });
	await gateway.signIn();
	await reversal({ TransactionID });
	expect((await nextResult()).result.ResultCode).toBe(17);
});

test("a reversal needs the money on the utility account", async () => {
	const TransactionID = await paid();
	await gateway.control("PUT shortcodes", [{ shortcode: "600100", utility_minor: 24_999 }]);
	await reversal({ TransactionID });
	expect((await nextResult()).result.ResultCode).toBe(1);
});

test("a balance query returns the balances in one text", async () => {
	await balance();
	const { text, parameters } = await nextResult();
	expect(shapeOf(text)).toEqual(fixture("balance"));
	expect(parameters["AccountBalance"]).toBe(
		[
			"Working Account|KES|500.00|500.00|0.00|0.00",
			"Float Account|KES|0.00|0.00|0.00|0.00",
			"Utility Account|KES|1000.00|1000.00|0.00|0.00",
			"Charges Paid Account|KES|0.00|0.00|0.00|0.00",
			"Organization Settlement Account|KES|0.00|0.00|0.00|0.00",
		].join("&"),
	);
	await balance({ Initiator: "nobody" });
	expect((await nextResult()).result.ResultCode).toBe(2001);
});

test("a shortcode is charged nothing, or what it is set to, for each payout, business payment and reversal; the ledger books it", async () => {
	const charges = async () => (await gateway.balances())["shortcode/600100/charges"];
	await payout();
	await nextResult();
	expect([await charges(), (await gateway.movements()).length]).toEqual([undefined, 1]);
	await gateway.control("PUT shortcodes", [{ shortcode: "600100", charge_minor: 2_240 }]);
	await payout({ OriginatorConversationID: "own-1" });
	const { text, parameters: paidOut } = await nextResult();
	expect([shapeOf(text), paidOut.DebitPartyCharges]).toEqual([fixture("payout-paid"), undefined]);
	expect(paidOut).toMatchObject({ B2CChargesPaidAccountAvailableFunds: -22.4 });
	await status({ OriginalConversationID: "own-1" });
	expect((await nextResult()).parameters.DebitPartyCharges).toBe("Fee For B2C Payment|KES|22.40");
	await business();
	expect((await nextResult()).parameters.DebitPartyCharges).toBe("Fee For B2B Payment|KES|22.40");
	const own = { CommandID: "MerchantTransferFromMerchantToWorking", PartyB: "600100" };
	await business(own);
	expect((await nextResult()).parameters.DebitPartyCharges).toBe("");
	await gateway.control("POST phones/254712345001/pay", { shortcode: "600100", amount_minor: 25_000 });
	const receipt = (await gateway.movements()).at(-1).receipt;
	await reversal({ TransactionID: receipt });
	expect((await nextResult()).parameters).toMatchObject({ Charge: 22.4 });
	const booked = (await gateway.movements()).filter(({ kind }: { kind: string }) => kind === "charge");
	expect(booked).toHaveLength(3);
	const [from, to] = ["shortcode/600100/charges", "charges"];
	for (const one of booked) expect(one).toMatchObject({ from, to, amount_minor: 2_240 });
	expect(await charges()).toBe(-3 * 2_240);
	await balance();
	const { AccountBalance } = (await nextResult()).parameters;
	expect(AccountBalance).toContain("Charges Paid Account|KES|-67.20|-67.20|0.00|0.00");
});

test("what fails is not charged", async () => {
	await gateway.control("PUT shortcodes", [{ shortcode: "600100", charge_minor: 2_240 }]);
	await payout({ Amount: "5000" });
	expect((await nextResult()).result.ResultCode).toBe(1);
	expect(await gateway.movements()).toEqual([]);
});

test.each([
	["payout", () => payout({ PartyA: "999999" }), "PartyA"],
	["payout", () => payout({ CommandID: "Gift" }), "CommandID"],
	["payout", () => payout({ ResultURL: "http://127.0.0.1/cmd" }), "ResultURL"],
	["payout", () => payout({ SecurityCredential: "" }), "SecurityCredential"],
	["business", () => business({ RecieverIdentifierType: "9" }), "RecieverIdentifierType"],
	["status", () => status({ PartyA: "999999", TransactionID: "UKO1234567" }), "PartyA"],
	["reversal", () => reversal({ TransactionID: "UKO1234567", ReceiverParty: "999999" }), "ReceiverParty"],
	["reversal", () => reversal({}), "TransactionID"],
	["balance", () => balance({ IdentifierType: "7" }), "IdentifierType"],
])("a %s with a wrong member is refused", async (_operation, call, name) => {
	expect(await call()).toMatchObject({
		status: 400,
		body: { errorCode: "400.002.02", errorMessage: `Bad Request - Invalid ${name}` },
	});
});

test("insufficient_float fails a payout that the account could pay", async () => {
	await gateway.fault({ operation: "payout", fault: "insufficient_float", count: 1 });
	await payout();
	expect((await nextResult()).result.ResultCode).toBe(1);
	expect(await gateway.movements()).toEqual([]);
});

test("late_after_timeout posts to QueueTimeOutURL first, and the result later", async () => {
	await gateway.fault({ operation: "payout", fault: "late_after_timeout", ms: 1 });
	await payout();
	await expect.poll(() => receiver.received().map(({ path }) => path)).toEqual([timeout, result]);
	expect(shapeOf(receiver.received()[0]?.text ?? "")).toEqual(fixture("timeout"));
});

test("callback_before_ack posts the result before the answer, type_drift sends codes in the other type", async () => {
	await gateway.control("PUT faults", [{ fault: "callback_before_ack" }, { fault: "type_drift" }]);
	await business();
	const { result: outcome, parameters } = JSON.parse(JSON.stringify(await nextResult()));
	expect([outcome.ResultCode, parameters.TransCompletedTime]).toEqual([0, "20261124110000"]);
	await payout();
	expect((await nextResult()).parameters).toMatchObject({ TransactionAmount: "100" });
});

test("http_500_after_commit hides the answer of a payout that was made", async () => {
	await gateway.fault({ operation: "payout", fault: "http_500_after_commit" });
	expect(await payout({ OriginatorConversationID: "own-1" })).toMatchObject({ status: 500 });
	expect((await nextResult()).result.OriginatorConversationID).toBe("own-1");
	expect(await gateway.movements()).toHaveLength(1);
});

test("the certificate stays the same after a reset", async () => {
	const read = async () => (await fetch(`${gateway.url}/certificate`)).text();
	const before = await read();
	await gateway.control("POST reset");
	expect([await read(), before.startsWith("-----BEGIN CERTIFICATE-----")]).toEqual([before, true]);
});
