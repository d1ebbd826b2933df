import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Answer } from "../../src/gateways/calls/answer.ts";
import { createCallGateway } from "../../src/gateways/calls/call-gateway.ts";
import { type CardGateway, openCardGateway } from "../../src/gateways/card-gateway/account.ts";
import { fetchDispute, listDisputes } from "../../src/gateways/card-gateway/disputes.ts";
import { createPage } from "../../src/gateways/card-gateway/pages.ts";
import {
	createPlan,
	createSubscription,
	disableSubscription,
	enableSubscription,
} from "../../src/gateways/card-gateway/plans.ts";
import { createRecipient, listBanks } from "../../src/gateways/card-gateway/recipients.ts";
import { createRefund, listRefunds } from "../../src/gateways/card-gateway/refunds.ts";
import {
	getBalance,
	listSettlementLines,
	listSettlements,
} from "../../src/gateways/card-gateway/settlements.ts";
import {
	initializeTransaction,
	listTransactions,
	verifyTransaction,
} from "../../src/gateways/card-gateway/transactions.ts";
import {
	finalizeTransfer,
	resendOtp,
	startTransfer,
	startTransfers,
	verifyTransfer,
} from "../../src/gateways/card-gateway/transfers.ts";
import { cardDefaults } from "../../src/gateways/profiles/profile.ts";
import { keptLog } from "./shortcode-at.ts";
import { fixture, readAnswer, startTestGateway, type TestGateway } from "./test-gateway.ts";

let gateway: TestGateway;
let card: CardGateway;
beforeAll(async () => {
	gateway = await startTestGateway();
	card = openCardGateway({
		call: createCallGateway({ log: keptLog().log, isPublicOnly: false }),
		secretKey: "sk_test_1",
		profile: {
			...{ id: "card", environment: "sandbox", baseUrl: gateway.url, certificate: undefined, version: 1 },
			settings: {
				...cardDefaults,
				per_second: 1_000,
				recipient_types: { bank: "kepss", mobile_money: "mm" },
			},
		},
	});
});
beforeEach(() => {
	gateway.received.length = 0;
});
afterAll(() => gateway.close());

const reference = "pay-0a1b2c3d4e5f60718293a4b5c6d7e8f9";
const out = "out-0a1b2c3d4e5f60718293a4b5c6d7e8f9";
const checkout = {
	...{ amountMinor: 100_000n, currency: "KES", email: "amina@example.com", reference },
	...{
		callbackUrl: "https://pay.example/api/v1/payments/callback",
		channels: ["card", "mobile_money"] as const,
	},
	metadata: { tenant_id: "3b5e", source_service: "pos", order_id: "7d0c" },
};
const transfer = {
	amountMinor: 96_500n,
	recipientCode: "RCP_m7ljkv8leesep7p",
	reason: "Payout",
	reference: out,
};
const wireOf = { amount: 96_500, recipient: "RCP_m7ljkv8leesep7p", reason: "Payout", reference: out };
const subscription = { subscriptionCode: "SUB_vsyqdmlzble3uii", emailToken: "d7gofp6yppn3qz7" };
const pending = {
	transferCode: "TRF_v5tip3zx8nna9o78",
	reference: out,
	status: "pending",
	amountMinor: 96_500n,
};
const settled = {
	status: "success",
	reference,
	amountMinor: 100_000n,
	requestedMinor: 100_000n,
	feesMinor: 3_500n,
};

type Case = {
	run: (gateway: CardGateway) => Promise<Answer<unknown>>;
	request: string;
	sent?: object;
	answer: string;
	ids: object;
};
// biome-ignore format: reads as a table
const cases: Record<string, Case> = {
	initialize: {
		run: (one) => initializeTransaction(one, { ...checkout, mobileMoney: { phone: "254712345678", provider: "MM" } }),
		request: "POST /transaction/initialize",
		sent: {
			amount: 100_000, currency: "KES", email: "amina@example.com", reference, metadata: checkout.metadata,
			callback_url: checkout.callbackUrl, channels: ["card", "mobile_money"],
			mobile_money: { phone: "254712345678", provider: "MM" },
		},
		answer: "initialized",
		ids: { authorizationUrl: "https://checkout.gateway.example/3ni8kdavz62431k", accessCode: "3ni8kdavz62431k" },
	},
	"verify a transaction": {
		run: (one) => verifyTransaction(one, reference),
		request: `GET /transaction/verify/${reference}`, answer: "verified",
		ids: { ...settled, id: "4099260516", channel: "card", metadata: checkout.metadata, paidAt: "2026-11-26T04:15:02.000Z" },
	},
	"verify an open transaction": {
		run: (one) => verifyTransaction(one, reference),
		request: `GET /transaction/verify/${reference}`, answer: "verified-open",
		ids: { status: "ongoing", feesMinor: undefined, requestedMinor: undefined, metadata: undefined },
	},
	"list transactions": {
		run: (one) => listTransactions(one, { page: 2, perPage: 50, from: "2026-11-25", to: "2026-11-26", status: "success" }),
		request: "GET /transaction?perPage=50&page=2&from=2026-11-25&to=2026-11-26&status=success", answer: "transactions",
		ids: { transactions: [{ id: "4099260516" }, { id: "4099260517" }], unreadable: 1 },
	},
	refund: {
		run: (one) => createRefund(one, { transaction: reference, amountMinor: 40_000n, currency: "KES", customerNote: "Sorry", merchantNote: "r-1" }),
		request: "POST /refund",
		sent: { transaction: reference, amount: 40_000, currency: "KES", customer_note: "Sorry", merchant_note: "r-1" },
		answer: "refund",
		ids: { id: "3018284", status: "pending", amountMinor: 40_000n, currency: "KES", transactionId: "1004723697", transactionReference: reference },
	},
	"list refunds": {
		run: (one) => listRefunds(one, { transaction: "1004723697", page: 1, perPage: 100 }),
		request: "GET /refund?transaction=1004723697&perPage=100&page=1", answer: "refunds",
		ids: { refunds: [{ id: "3018284", amountMinor: 40_000n, transactionId: "1004723697", transactionReference: undefined }] },
	},
	"list disputes": {
		run: (one) => listDisputes(one, { page: 2, perPage: 100, from: "2026-11-20T00:00:00.000Z" }),
		request: "GET /dispute?perPage=100&page=2&from=2026-11-20T00%3A00%3A00.000Z", answer: "disputes",
		ids: { unreadable: 1, disputes: [{
			reference: "pay-3c6f1b1e2a4d4f0c9a7b5e8d1f2a3b4c", transactionId: "1004723697", currency: "KES",
			dispute: {
				gatewayId: "2867", status: "lost", resolution: "merchant-accepted", category: "chargeback",
				amountMinor: 5_000n, returnedMinor: 5_000n, dueAt: new Date("2026-11-22T18:00:00.000Z"),
			},
		}] },
	},
	"fetch a dispute": {
		run: (one) => fetchDispute(one, "2868"), request: "GET /dispute/2868", answer: "dispute",
		ids: {
			reference: "pay-3c6f1b1e2a4d4f0c9a7b5e8d1f2a3b4c", transactionId: "1004723697", currency: "KES",
			dispute: {
				gatewayId: "2868", status: "open", resolution: null, category: null, amountMinor: 100_000n, dueAt: undefined,
			},
		},
	},
	"create a recipient": {
		run: (one) => createRecipient(one, { type: "bank", name: "Uhai Hospital", accountNumber: "01000000010", bankCode: "68", currency: "KES" }),
		request: "POST /transferrecipient",
		sent: { type: "kepss", name: "Uhai Hospital", account_number: "01000000010", bank_code: "68", currency: "KES" },
		answer: "recipient", ids: { recipientCode: "RCP_m7ljkv8leesep7p", bankName: "Equity Bank" },
	},
	"list banks": {
		run: (one) => listBanks(one, { country: "kenya", type: "mobile_money", payWithBankTransfer: true }),
		request: "GET /bank?country=kenya&type=mobile_money&pay_with_bank_transfer=true", answer: "banks",
		ids: { banks: [{ code: "68", name: "Equity Bank", type: "kepss", currency: "KES" }, { code: "MM", name: "Mobile money" }] },
	},
	transfer: {
		run: (one) => startTransfer(one, { ...transfer, currency: "KES" }),
		request: "POST /transfer", sent: { source: "balance", currency: "KES", ...wireOf }, answer: "transfer", ids: pending,
	},
	"transfer that needs an OTP": {
		run: (one) => startTransfer(one, { ...transfer, currency: "KES" }),
		request: "POST /transfer", answer: "transfer-otp", ids: { status: "otp" },
	},
	"bulk transfer": {
		run: (one) => startTransfers(one, { currency: "KES", transfers: [transfer, { ...transfer, reference: "out-1" }] }),
		request: "POST /transfer/bulk",
		sent: { currency: "KES", source: "balance", transfers: [wireOf, { ...wireOf, reference: "out-1" }] },
		answer: "transfers", ids: { transfers: [{ reference: out }, { reference: "out-1a1b2c3d4e5f60718293a4b5c6d7e8f9" }] },
	},
	"verify a transfer": {
		run: (one) => verifyTransfer(one, out), request: `GET /transfer/verify/${out}`,
		answer: "transfer-verified", ids: { ...pending, status: "success", feeMinor: 2_000n },
	},
	"finalize a transfer": {
		run: (one) => finalizeTransfer(one, { transferCode: "TRF_v5tip3zx8nna9o78", otp: "123456" }),
		request: "POST /transfer/finalize_transfer", sent: { transfer_code: "TRF_v5tip3zx8nna9o78", otp: "123456" },
		answer: "transfer", ids: pending,
	},
	"resend an OTP": {
		run: (one) => resendOtp(one, "TRF_v5tip3zx8nna9o78"),
		request: "POST /transfer/resend_otp", sent: { transfer_code: "TRF_v5tip3zx8nna9o78", reason: "transfer" },
		answer: "otp-resent", ids: {},
	},
	"list settlements": {
		run: (one) => listSettlements(one, { page: 1, perPage: 50 }),
		request: "GET /settlement?perPage=50&page=1", answer: "settlements",
		ids: { settlements: [{ id: "3090024", status: "success", currency: "KES", effectiveMinor: 96_500n, processedMinor: 100_000n, feesMinor: 3_500n, deductionsMinor: undefined, settledOn: "2026-11-27T00:00:00.000Z" }] },
	},
	"list the lines of a settlement": {
		run: (one) => listSettlementLines(one, { settlementId: "3090024", page: 1, perPage: 100 }),
		request: "GET /settlement/3090024/transactions?perPage=100&page=1", answer: "transactions",
		ids: { transactions: [{ reference }, { reference }], unreadable: 1 },
	},
	balance: {
		run: getBalance, request: "GET /balance", answer: "balance", ids: { balances: { KES: 1_700_000n, USD: 0n } },
	},
	"create a plan": {
		run: (one) => createPlan(one, { name: "Growth", interval: "monthly", amountMinor: 500_000n, currency: "KES" }),
		request: "POST /plan", sent: { name: "Growth", interval: "monthly", amount: 500_000, currency: "KES" },
		answer: "plan", ids: { planCode: "PLN_gx2wn530m0i3w3m" },
	},
	"create a subscription": {
		run: (one) => createSubscription(one, { customer: "CUS_1", plan: "PLN_1", authorization: "AUTH_1" }),
		request: "POST /subscription", sent: { customer: "CUS_1", plan: "PLN_1", authorization: "AUTH_1" },
		answer: "subscription", ids: subscription,
	},
	"disable a subscription": {
		run: (one) => disableSubscription(one, subscription), request: "POST /subscription/disable",
		sent: { code: "SUB_vsyqdmlzble3uii", token: "d7gofp6yppn3qz7" }, answer: "subscription-disabled", ids: {},
	},
	"enable a subscription": {
		run: (one) => enableSubscription(one, subscription), request: "POST /subscription/enable",
		sent: { code: "SUB_vsyqdmlzble3uii", token: "d7gofp6yppn3qz7" }, answer: "subscription-disabled", ids: {},
	},
	"create a page": {
		run: (one) => createPage(one, { name: "School fees", description: "Term 1", amountMinor: 10_000n, currency: "KES", metadata: { token: "t" } }),
		request: "POST /page", sent: { name: "School fees", description: "Term 1", amount: 10_000, currency: "KES", metadata: { token: "t" } },
		answer: "page", ids: { id: "1308510", link: undefined, slug: "1got2y8unp" },
	},
};

describe("every call sends exactly its method, path and fields, with the secret key, and reads the answer", () => {
	test.each(Object.entries(cases))("%s", async (_name, { run, request, sent, answer, ids }) => {
		gateway.answerWith(() => fixture(`card-gateway/${answer}`));
		expect(await run(card)).toMatchObject({ is: "accepted", ids, raw: readAnswer(`card-gateway/${answer}`) });
		const [received] = gateway.received;
		expect(`${received?.method} ${received?.url}`).toBe(request);
		expect(received?.headers["authorization"]).toBe("Bearer sk_test_1");
		if (sent !== undefined) expect(received?.body).toEqual(sent);
	});
});

test("a reference is one segment of the path", async () => {
	gateway.answerWith(() => fixture("card-gateway/not-found", 404));
	await verifyTransaction(card, "../balance?x");
	expect(gateway.received[0]?.url).toBe("/transaction/verify/..%2Fbalance%3Fx");
});

test("a bulk request of more than 100 transfers, and an amount of 0, are bugs of the caller", async () => {
	const transfers = Array.from({ length: 101 }, () => transfer);
	await expect(startTransfers(card, { currency: "KES", transfers })).rejects.toThrow("at most 100");
	expect(() => startTransfer(card, { ...transfer, currency: "KES", amountMinor: 0n })).toThrow("positive");
});

const start = () => startTransfer(card, { ...transfer, currency: "KES" });
const answerOf = (name: string) => readAnswer(`card-gateway/${name}`);

describe("what the gateway answers decides between accepted, refused and unknown", () => {
	// biome-ignore format: reads as a table
	test.each<[title: string, status: number, body: unknown, expected: object]>([
		["a used reference means that the transfer exists", 400, answerOf("duplicate-transfer"), { is: "refused", code: "duplicate_reference", isRetryable: false }],
		["a used reference of a bulk request is in its text only", 404, answerOf("duplicate-bulk"), { is: "refused", code: "duplicate_reference" }],
		["what is not there is not_found", 404, answerOf("not-found"), { is: "refused", code: "not_found" }],
		["what is not there is not_found, whatever its code says", 404, { status: false, message: "Transfer not found", code: "transfer_not_found" }, { is: "refused", code: "not_found" }],
		["a wrong key is refused for good", 401, answerOf("key-invalid"), { is: "refused", code: "http_401", isRetryable: false }],
		["a code of the gateway stays", 400, { status: false, message: "Recipient specified is invalid", code: "invalid_transfer_recipient" }, { is: "refused", code: "invalid_transfer_recipient" }],
		["a limit may be sent again", 429, { status: false, message: "Slow down" }, { is: "refused", code: "http_429", isRetryable: true }],
		["a wrong key is refused for good, whatever code the body has", 401, { status: false, code: "invalid_Key" }, { is: "refused", code: "http_401", isRetryable: false }],
		["a 2xx answer about money out whose status is false is unknown", 200, { status: false, message: "No" }, { is: "unknown", because: "status_false" }],
		["a 5xx is unknown", 502, "<html>", { is: "unknown", because: "http_502" }],
		["a redirect is not followed", 307, "", { is: "unknown", because: "http_307" }],
		["a 2xx answer without data is unknown", 200, { status: true, message: "Transfer has been queued" }, { is: "unknown", because: "unreadable" }],
	])("%s", async (...[, status, body, expected]) => {
		gateway.answerWith(() => ({ status, body }));
		expect(await start()).toMatchObject(expected);
		expect(gateway.received).toHaveLength(1);
	});
});

test("a 2xx answer to a question whose status is false is refused", async () => {
	gateway.answerWith(() => ({ status: 200, body: { status: false, message: "No" } }));
	expect(await verifyTransaction(card, "pay-1")).toMatchObject({ is: "refused", code: "http_200" });
});
