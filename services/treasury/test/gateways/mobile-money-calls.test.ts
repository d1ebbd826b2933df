import { constants, privateDecrypt } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Answer } from "../../src/gateways/calls/answer.ts";
import { asHint, type MobileMoney } from "../../src/gateways/mobile-money/account.ts";
import { registerUrls, simulatePayment } from "../../src/gateways/mobile-money/over-the-counter.ts";
import { payBusiness, payCustomer, payPersonalTill } from "../../src/gateways/mobile-money/payout.ts";
import { queryPush, startPush } from "../../src/gateways/mobile-money/push.ts";
import { makeQrCode } from "../../src/gateways/mobile-money/qr-code.ts";
import { queryBalance, queryTransaction } from "../../src/gateways/mobile-money/query.ts";
import { reverseTransaction } from "../../src/gateways/mobile-money/reversal.ts";
import { createStandingOrder } from "../../src/gateways/mobile-money/standing-order.ts";
import { gatewayKeys, shortcodeAt } from "./shortcode-at.ts";
import { fixture, readAnswer, startTestGateway, type TestGateway } from "./test-gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startTestGateway();
});
beforeEach(() => {
	gateway.received.length = 0;
});
afterAll(() => gateway.close());

const prompt = {
	...{ amountMinor: 150_000n, phone: "254712345678", accountReference: "7K3Q9XW2MA" },
	...{ description: "Growth plan, November", callbackUrl: "https://pay.example/callback/abc" },
};
const urls = { resultUrl: "https://pay.example/result", timeoutUrl: "https://pay.example/timeout" };
const payout = { originatorId: "out-1", amountMinor: 50_000n, remarks: "Payout", ...urls };
const order = {
	...{
		name: "Growth 254712345678",
		amountMinor: 500_000n,
		phone: "254712345678",
		accountReference: "7K3Q9XW2MA",
	},
	...{
		description: "Growth plan",
		frequency: "monthly" as const,
		startOn: "2026-12-01",
		endOn: "2027-12-01",
	},
	callbackUrl: "https://pay.example/standing-order",
};
const timestamp = "20261126073000";
const password = Buffer.from(`600100a-passkey${timestamp}`).toString("base64");
const initiated = { SecurityCredential: expect.any(String) };
const conversation = {
	conversationId: "AG_20261126_2010a1b2c3d4e5f60718",
	originatorId: "out-3f1c0d5a7b9e4c21",
};
const promptIds = {
	merchantRequestId: "7071-4170-a0e4-8345632bad442144258",
	checkoutRequestId: "ws_CO_26112026073000123712345678",
};

type Case = {
	run: (account: MobileMoney) => Promise<Answer<unknown>>;
	path: string;
	sent: object;
	answer: string;
	ids: object;
};
const cases: Record<string, Case> = {
	"push prompt": {
		run: (account) => startPush(account, prompt),
		path: "/mobilemoney/stkpush/v1/processrequest",
		sent: {
			...{ BusinessShortCode: "600100", Password: password, Timestamp: timestamp },
			...{
				TransactionType: "CustomerPayBillOnline",
				Amount: "1500",
				PartyA: "254712345678",
				PartyB: "600100",
			},
			...{ PhoneNumber: "254712345678", CallBackURL: prompt.callbackUrl, AccountReference: "7K3Q9XW2MA" },
			TransactionDesc: "Growth plan, ",
		},
		...{ answer: "push-accepted", ids: promptIds },
	},
	"push query": {
		run: (account) => queryPush(account, "ws_CO_1"),
		path: "/mobilemoney/stkpushquery/v1/query",
		sent: {
			...{ BusinessShortCode: "600100", Password: password, Timestamp: timestamp },
			CheckoutRequestID: "ws_CO_1",
		},
		answer: "push-query-paid",
		ids: { resultCode: "0", resultText: "The service request is processed successfully." },
	},
	"register URLs": {
		run: (account) =>
			registerUrls(account, {
				confirmationUrl: "https://pay.example/c",
				validationUrl: "https://pay.example/v",
			}),
		path: "/mobilemoney/c2b/v1/registerurl",
		sent: {
			...{ ShortCode: "600100", ResponseType: "Completed" },
			...{ ConfirmationURL: "https://pay.example/c", ValidationURL: "https://pay.example/v" },
		},
		...{ answer: "urls-registered", ids: { originatorId: "7619-37765134-1" } },
	},
	simulate: {
		run: (account) =>
			simulatePayment(account, { amountMinor: 10_000n, phone: "254712345678", accountCode: "7K3Q9XW2MA" }),
		path: "/mobilemoney/c2b/v1/simulate",
		sent: {
			...{ ShortCode: "600100", CommandID: "CustomerPayBillOnline", Amount: 100, Msisdn: "254712345678" },
			BillRefNumber: "7K3Q9XW2MA",
		},
		...{ answer: "simulated", ids: { originatorId: "53e3-4aa8-9fe0-8fb5e4092cdd3405976" } },
	},
	"payout to customer": {
		run: (account) =>
			payCustomer(account, { ...payout, command: "SalaryPayment", phone: "254712345678", occasion: "June" }),
		path: "/mobilemoney/b2c/v1/paymentrequest",
		sent: {
			...{
				...initiated,
				OriginatorConversationID: "out-1",
				InitiatorName: "uhai-api",
				CommandID: "SalaryPayment",
			},
			...{ Amount: 500, PartyA: "600100", PartyB: "254712345678", Remarks: "Payout", Occasion: "June" },
			...{ QueueTimeOutURL: urls.timeoutUrl, ResultURL: urls.resultUrl },
		},
		...{ answer: "conversation", ids: conversation },
	},
	"payout to personal till": {
		run: (account) => payPersonalTill(account, { ...payout, till: "7654321" }),
		path: "/mobilemoney/b2c/v1/paymentrequest",
		sent: {
			...{
				...initiated,
				OriginatorConversationID: "out-1",
				InitiatorName: "uhai-api",
				CommandID: "BusinessPayment",
			},
			...{ Amount: 500, PartyA: "600100", PartyB: "7654321", Remarks: "Payout", Occasion: "" },
			...{ QueueTimeOutURL: urls.timeoutUrl, ResultURL: urls.resultUrl },
		},
		...{ answer: "conversation", ids: conversation },
	},
	"business to business": {
		run: (account) =>
			payBusiness(account, {
				...{ ...payout, command: "MerchantToMerchantTransfer", to: "500200", toKind: "till" },
				accountReference: "INV-7",
			}),
		path: "/mobilemoney/b2b/v1/paymentrequest",
		sent: {
			...{ ...initiated, OriginatorConversationID: "out-1", Initiator: "uhai-api" },
			...{ CommandID: "MerchantToMerchantTransfer", SenderIdentifierType: "4", RecieverIdentifierType: "2" },
			...{ Amount: "500", PartyA: "600100", PartyB: "500200", AccountReference: "INV-7", Remarks: "Payout" },
			...{ QueueTimeOutURL: urls.timeoutUrl, ResultURL: urls.resultUrl },
		},
		...{ answer: "conversation", ids: conversation },
	},
	"transaction status by receipt": {
		run: (account) =>
			queryTransaction(account, { ...urls, about: { receipt: "SG722NMVXQ" }, remarks: "Status" }),
		path: "/mobilemoney/transactionstatus/v1/query",
		sent: {
			...{
				...initiated,
				Initiator: "uhai-api",
				CommandID: "TransactionStatusQuery",
				TransactionID: "SG722NMVXQ",
			},
			...{ PartyA: "600100", IdentifierType: "4", Remarks: "Status", Occasion: "" },
			...{ QueueTimeOutURL: urls.timeoutUrl, ResultURL: urls.resultUrl },
		},
		...{ answer: "conversation", ids: conversation },
	},
	"transaction status by our own id": {
		run: (account) =>
			queryTransaction(account, { ...urls, about: { originatorId: "out-1" }, remarks: "Status" }),
		path: "/mobilemoney/transactionstatus/v1/query",
		sent: {
			...{ ...initiated, Initiator: "uhai-api", CommandID: "TransactionStatusQuery" },
			...{
				OriginalConversationID: "out-1",
				PartyA: "600100",
				IdentifierType: "4",
				Remarks: "Status",
				Occasion: "",
			},
			...{ QueueTimeOutURL: urls.timeoutUrl, ResultURL: urls.resultUrl },
		},
		...{ answer: "conversation", ids: conversation },
	},
	"account balance": {
		run: (account) => queryBalance(account, { ...urls, remarks: "Balance" }),
		path: "/mobilemoney/accountbalance/v1/query",
		sent: {
			...{
				...initiated,
				Initiator: "uhai-api",
				CommandID: "AccountBalance",
				PartyA: "600100",
				IdentifierType: "4",
			},
			...{ Remarks: "Balance", QueueTimeOutURL: urls.timeoutUrl, ResultURL: urls.resultUrl },
		},
		...{ answer: "conversation", ids: conversation },
	},
	reversal: {
		run: (account) =>
			reverseTransaction(account, {
				...{ ...urls, originatorId: "3d8c2f1e-5b7a-4a0e-9a53-0f0f1c8f5e11", receipt: "SG722NMVXQ" },
				...{ amountMinor: 20_000n, remarks: "Refund" },
			}),
		path: "/mobilemoney/reversal/v1/request",
		sent: {
			...{
				...initiated,
				Initiator: "uhai-api",
				OriginatorConversationID: "3d8c2f1e-5b7a-4a0e-9a53-0f0f1c8f5e11",
				CommandID: "TransactionReversal",
				TransactionID: "SG722NMVXQ",
			},
			...{
				Amount: "200",
				ReceiverParty: "600100",
				RecieverIdentifierType: "11",
				Remarks: "Refund",
				Occasion: "",
			},
			...{ QueueTimeOutURL: urls.timeoutUrl, ResultURL: urls.resultUrl },
		},
		...{ answer: "conversation", ids: conversation },
	},
	"standing order": {
		run: (account) => createStandingOrder(account, order),
		path: "/standingorder/v1/createStandingOrderExternal",
		sent: {
			...{ StandingOrderName: order.name, BusinessShortCode: "600100" },
			...{ TransactionType: "Standing Order Customer Pay Bill", Amount: "5000", PartyA: "254712345678" },
			...{ ReceiverPartyIdentifierType: "4", CallBackURL: order.callbackUrl, AccountReference: "7K3Q9XW2MA" },
			...{ TransactionDesc: "Growth plan", Frequency: "3", StartDate: "20261201", EndDate: "20271201" },
		},
		...{ answer: "standing-order-accepted", ids: { requestId: "4dd9b5d9-d738-42ba-9326-2cc99e966000" } },
	},
	"QR code": {
		run: (account) =>
			makeQrCode(account, {
				...{ merchantName: "Uhai Hospital", reference: "7K3Q9XW2MA", amountMinor: 10_000n },
				...{ trxCode: "PB", size: 300 },
			}),
		path: "/mobilemoney/qrcode/v1/generate",
		sent: {
			...{ MerchantName: "Uhai Hospital", RefNo: "7K3Q9XW2MA", Amount: 100, TrxCode: "PB", CPI: "600100" },
			Size: "300",
		},
		...{ answer: "qr-code", ids: { pngBase64: "iVBORw0KGgoAAAANSUhEUg==" } },
	},
};

describe("every operation posts exactly its path and its fields, with the token, and reads the answer", () => {
	test.each(Object.entries(cases))("%s", async (_name, { run, path, sent, answer, ids }) => {
		gateway.answerWith(() => fixture(`mobile-money/${answer}`));
		expect(await run(shortcodeAt(gateway.url))).toEqual({
			...{ is: "accepted", ids, raw: readAnswer(`mobile-money/${answer}`) },
		});
		const [request] = gateway.received;
		expect(request).toMatchObject({ method: "POST", url: path });
		expect(request?.headers["authorization"]).toBe("Bearer valid-token");
		expect(request?.body).toEqual(sent);
	});
});

test("the password of an initiator is encrypted with the gateway's key by RSA PKCS#1 v1.5", async () => {
	gateway.answerWith(() => fixture("mobile-money/conversation"));
	await queryBalance(shortcodeAt(gateway.url), { ...urls, remarks: "Balance" });
	const sealed = Buffer.from(String(gateway.received[0]?.body["SecurityCredential"]), "base64");
	const opened = privateDecrypt(
		{ key: gatewayKeys.privateKey, padding: constants.RSA_PKCS1_PADDING },
		sealed,
	);
	expect(opened.toString()).toBe("initiator-password");
});

test("a till has its own types of transactions and identifiers, and a profile its own prefix and frequencies", async () => {
	gateway.answerWith(({ url }) =>
		fixture(`mobile-money/${url.includes("standing") ? "standing-order-accepted-pascal" : "push-accepted"}`),
	);
	const frequency_map = { monthly: "4" };
	const till = shortcodeAt(gateway.url, { kind: "till", settings: { path_prefix: "mpesa", frequency_map } });
	await startPush(till, prompt);
	const ordered = await createStandingOrder(till, order);
	const [push, ordering] = gateway.received;
	expect(push?.url).toBe("/mpesa/stkpush/v1/processrequest");
	expect(push?.body["TransactionType"]).toBe("CustomerBuyGoodsOnline");
	expect(ordering?.url).toBe("/standingorder/v1/createStandingOrderExternal");
	expect(ordering?.body).toMatchObject({
		...{ TransactionType: "Standing Order Customer Pay Merchant", ReceiverPartyIdentifierType: "2" },
		Frequency: "4",
	});
	expect(ordered).toMatchObject({
		is: "accepted",
		ids: { requestId: "4dd9b5d9-d738-42ba-9326-2cc99e966001" },
	});
});

test("without a passkey, an initiator or a certificate the operation is refused, and nothing is sent", async () => {
	const bare = { passkey: undefined, initiator: undefined };
	const account = shortcodeAt(gateway.url, bare);
	const withoutCertificate = shortcodeAt(gateway.url);
	withoutCertificate.profile.certificate = undefined;
	expect(await startPush(account, prompt)).toMatchObject({ is: "refused", code: "passkey_missing" });
	expect(await queryPush(account, "ws_CO_1")).toMatchObject({ is: "refused", code: "passkey_missing" });
	for (const run of [
		() => payCustomer(account, { ...payout, command: "BusinessPayment", phone: "254712345678" }),
		() =>
			payBusiness(account, {
				...payout,
				command: "BusinessPayBill",
				to: "1",
				toKind: "paybill",
				accountReference: "1",
			}),
		() => queryTransaction(account, { ...urls, about: { receipt: "R" }, remarks: "" }),
		() => queryBalance(account, { ...urls, remarks: "" }),
		() =>
			reverseTransaction(account, {
				...urls,
				originatorId: "reversal-1",
				receipt: "R",
				amountMinor: 100n,
				remarks: "",
			}),
	])
		expect(await run()).toMatchObject({ is: "refused", code: "initiator_missing", isRetryable: false });
	expect(await queryBalance(withoutCertificate, { ...urls, remarks: "" })).toMatchObject({
		code: "certificate_missing",
	});
	expect(gateway.received).toEqual([]);
});

test("an amount with cents and a reference of more than 12 characters are bugs of the caller", async () => {
	const account = shortcodeAt(gateway.url);
	await expect(startPush(account, { ...prompt, amountMinor: 150n })).rejects.toThrow("whole");
	await expect(startPush(account, { ...prompt, accountReference: "1234567890123" })).rejects.toThrow(
		"too long",
	);
	await expect(
		createStandingOrder(account, { ...order, accountReference: "1234567890123" }),
	).rejects.toThrow();
});

const push = (account: MobileMoney) => startPush(account, prompt);
const query = (account: MobileMoney) => queryPush(account, "ws_CO_1");
const pay = (account: MobileMoney) =>
	payCustomer(account, { ...payout, command: "BusinessPayment", phone: "254712345678" });
const stand = (account: MobileMoney) => createStandingOrder(account, order);
const error = (errorCode: string, errorMessage: string) => ({ requestId: "1c5b", errorCode, errorMessage });

describe("what the gateway answers decides between accepted, refused and unknown", () => {
	// biome-ignore format: reads as a table
	test.each<[title: string, run: (account: MobileMoney) => Promise<Answer<unknown>>, status: number, body: unknown, expected: object]>([
		["an invalid field is refused for good", push, 400, error("400.002.02", "Bad Request - Invalid BusinessShortCode"), { is: "refused", code: "400.002.02", isRetryable: false }],
		["an unknown path is refused for good", push, 404, error("404.001.01", "Resource not found"), { is: "refused", code: "404.001.01", isRetryable: false }],
		["a refusal without a code has that of HTTP", push, 405, "", { is: "refused", code: "http_405", isRetryable: false }],
		["spike arrest may be sent again", push, 500, error("500.003.02", "Error Occurred: Spike Arrest Violation"), { is: "refused", code: "500.003.02", isRetryable: true }],
		["a used quota may be sent again", push, 500, error("500.003.03", "Error Occurred: Quota Violation"), { is: "refused", code: "500.003.03", isRetryable: true }],
		["a locked subscriber may be sent again", push, 500, error("500.001.1001", "Unable to lock subscriber, a transaction is already in process for the current subscriber"), { is: "refused", code: "500.001.1001", isRetryable: true }],
		["the same code without a lock is unknown for a prompt", push, 500, error("500.001.1001", "[MobileMoney] - Merchant does not exist"), { is: "unknown", because: "500.001.1001" }],
		["an open prompt is asked again", query, 500, error("500.001.1001", "The transaction is being processed"), { is: "refused", code: "500.001.1001", isRetryable: true }],
		["a cancelled prompt is an answer", query, 200, readAnswer("mobile-money/push-query-cancelled"), { is: "accepted", ids: { resultCode: "1032" } }],
		["a blocked payer is not a locked subscriber: unknown for a prompt", push, 500, error("500.001.1001", "The subscriber is blocked"), { is: "unknown", because: "500.001.1001" }],
		["what speaks of a lock leaves a payout unknown", pay, 500, error("500.001.1001", "Unable to lock subscriber"), { is: "unknown", because: "500.001.1001" }],
		["an ambiguous error is unknown", pay, 500, error("500.002.1001", "Internal Server Error"), { is: "unknown", because: "500.002.1001" }],
		["a duplicate originator id says that the payout exists", pay, 500, error("500.002.1001", "Duplicate OriginatorConversationID."), { is: "unknown", because: "duplicate_originator" }],
		["another 5xx is unknown", pay, 503, "<html>", { is: "unknown", because: "http_503" }],
		["a redirect is not followed", pay, 302, "", { is: "unknown", because: "http_302" }],
		["a 2xx answer with another response code is refused", pay, 200, { ResponseCode: "1", ResponseDescription: "Rejected" }, { is: "refused", code: "1", text: "Rejected" }],
		["a 2xx answer that cannot be read is unknown", pay, 200, "not json", { is: "unknown", because: "unreadable" }],
		["a prompt without its ids is unknown to exist", push, 200, { MerchantRequestID: "1" }, { is: "unknown", because: "unreadable" }],
		["a standing order has another shape of refusal", stand, 400, readAnswer("mobile-money/standing-order-refused"), { is: "refused", code: "400", isRetryable: false }],
		["a standing order is refused by the code in its header", stand, 200, { ResponseHeader: { responseCode: "400", responseDescription: "Duplicate name" } }, { is: "refused", code: "400", text: "Duplicate name" }],
	])("%s", async (...[, run, status, body, expected]) => {
		gateway.answerWith(() => ({ status, body }));
		expect(await run(shortcodeAt(gateway.url))).toMatchObject(expected);
		expect(gateway.received).toHaveLength(1);
	});
});

test("questions because of hints use up no other question's share of calls", async () => {
	const account = shortcodeAt(gateway.url);
	gateway.answerWith(() => fixture("mobile-money/push-query-paid"));
	const hints = Array.from({ length: 10 }, () => query(asHint(account)));
	expect(await query(account)).toMatchObject({ is: "accepted" });
	const answers = await Promise.all(hints);
	expect(answers.filter((answer) => answer.is === "refused" && answer.code === "rate_limited")).toHaveLength(
		7,
	);
});
