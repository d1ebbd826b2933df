import { defaultSecretKey, startCardGateway } from "@lango/sandbox-card-gateway";
import { findCallViolations } from "@lango/sandbox-card-gateway/public-description";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import type { Answer } from "../../src/gateways/calls/answer.ts";
import { type CallGateway, createCallGateway } from "../../src/gateways/calls/call-gateway.ts";
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
	type Transaction,
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

/** Every call that was sent to the sandbox. */
const sent: Array<Parameters<CallGateway>[0]> = [];

const at = setUp(
	async () => {
		const sandbox = await startCardGateway({ port: 0 });
		const profile = {
			...{ id: "card", environment: "sandbox" as const, baseUrl: sandbox.url, version: 1 },
			...{ certificate: undefined, settings: { ...cardDefaults, per_second: 1_000 } },
		};
		const send = createCallGateway({ log: keptLog().log, isPublicOnly: false });
		const call: CallGateway = (request, read) => {
			sent.push(request);
			return send(request, read);
		};
		const gateway = openCardGateway({ call, profile, secretKey: defaultSecretKey });
		await control(sandbox.url, "POST top-up", { amount: 1_000_000 });
		const { recipientCode } = await acceptedBy(createRecipient(gateway, recipient));
		return { sandbox, gateway, recipientCode, paid: await payByCard(gateway, sandbox.url) };
	},
	({ sandbox }) => sandbox.stop(),
);

const recipient = {
	...{ type: "mobile_money" as const, name: "Amina", accountNumber: "254712345678" },
	...{ bankCode: "PESA", currency: "KES" },
};

/** What the function read of an answer that must be accepted. */
async function acceptedBy<T>(answering: Promise<Answer<T>>): Promise<T> {
	const answer = await answering;
	if (answer.is !== "accepted") throw new Error(`not accepted: ${JSON.stringify(answer)}`);
	return answer.ids;
}

async function control(url: string, what: string, body?: object) {
	const [method = "", path = ""] = what.split(" ");
	const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
	const answer = await fetch(`${url}/_control/${path}`, { method, ...(body && json) });
	if (!answer.ok) throw new Error(`${what}: ${answer.status} ${await answer.text()}`);
	return answer.json();
}

const out = (nth: number) => `out-${String(nth).padStart(32, "0")}`;
let payments = 0;
const newReference = () => `pay-${(++payments).toString(16).padStart(32, "0")}`;

const checkout = (reference: string) => ({
	...{ amountMinor: 100_000n, currency: "KES", email: "amina@kahawa.example", reference },
	...{ callbackUrl: "http://127.0.0.1:9/back", channels: ["card" as const] },
	metadata: { tenant_id: "t", source_service: "pos", order_id: "o" },
});

/** A payment of KES 1,000 by card, as it is verified. */
async function payByCard(gateway: CardGateway, url: string): Promise<Transaction> {
	const reference = newReference();
	const { accessCode } = await acceptedBy(initializeTransaction(gateway, checkout(reference)));
	await control(url, `POST checkouts/${accessCode}`, { action: "pay", channel: "card" });
	return acceptedBy(verifyTransaction(gateway, reference));
}

const transfer = (reference: string) => ({
	...{ amountMinor: 10_000n, recipientCode: at.recipientCode, reason: "Payout", reference, currency: "KES" },
});

const page = { page: 1, perPage: 50 };
const open = newReference();
const wholeRefund = { currency: "KES", customerNote: "", merchantNote: "" };
const plan = { name: "Growth", interval: "monthly", amountMinor: 50_000n, currency: "KES" };

type Call = readonly [run: (gateway: CardGateway) => Promise<Answer<unknown>>, expected: object];
// biome-ignore format: reads as a table
const calls: Record<string, Call> = {
	initialize: [(one) => initializeTransaction(one, checkout(open)), { is: "accepted", ids: { accessCode: expect.any(String) } }],
	"the same reference again": [(one) => initializeTransaction(one, checkout(open)), { is: "refused", code: "duplicate_reference" }],
	"verify a transaction": [(one) => verifyTransaction(one, at.paid.reference), { is: "accepted", ids: { status: "success", amountMinor: 100_000n, feesMinor: 3_500n } }],
	"verify an unknown transaction": [(one) => verifyTransaction(one, "pay-unknown"), { is: "refused", code: "not_found" }],
	"list transactions": [(one) => listTransactions(one, { ...page, status: "success" }), { is: "accepted", ids: { transactions: [{ status: "success", reference: expect.stringMatching(/^pay-/) }], unreadable: 0 } }],
	"refund a transaction that is not paid": [(one) => createRefund(one, { ...wholeRefund, transaction: open, amountMinor: 100_000n }), { is: "refused" }],
	"list banks": [(one) => listBanks(one, { country: "kenya" }), { is: "accepted", ids: { banks: expect.arrayContaining([{ code: "11", name: expect.any(String), type: expect.any(String), currency: "KES" }]) } }],
	"create a recipient": [(one) => createRecipient(one, recipient), { is: "accepted", ids: { recipientCode: expect.stringMatching(/^RCP_/) } }],
	transfer: [(one) => startTransfer(one, transfer(out(1))), { is: "accepted", ids: { reference: out(1), status: "pending", amountMinor: 10_000n } }],
	"transfer to an unknown recipient": [(one) => startTransfer(one, { ...transfer(out(2)), recipientCode: "RCP_unknown" }), { is: "refused" }],
	"transfer several": [(one) => startTransfers(one, { currency: "KES", transfers: [transfer(out(3)), transfer(out(4))] }), { is: "accepted", ids: { transfers: [{ reference: out(3), status: "pending" }, { reference: out(4), status: "pending" }] } }],
	"transfer several, one of them again": [(one) => startTransfers(one, { currency: "KES", transfers: [transfer(out(5)), transfer(out(3))] }), { is: "refused", code: "duplicate_reference" }],
	"verify a transfer": [(one) => verifyTransfer(one, out(1)), { is: "accepted", ids: { reference: out(1), transferCode: expect.any(String), amountMinor: 10_000n, feeMinor: 0n } }],
	"verify an unknown transfer": [(one) => verifyTransfer(one, "out-unknown"), { is: "refused", code: "not_found" }],
	balance: [getBalance, { is: "accepted", ids: { balances: { KES: 970_000n } } }],
	"create a plan": [(one) => createPlan(one, plan), { is: "accepted", ids: { planCode: expect.any(String) } }],
	"create a page": [(one) => createPage(one, { name: "School fees", description: "Term 1", amountMinor: 10_000n, currency: "KES", metadata: { token: "t" } }), { is: "accepted", ids: { link: expect.stringContaining("/pay/") } }],
};

describe("the card-gateway sandbox answers as the functions read it", () => {
	test.each(Object.entries(calls))("%s", async (_name, [run, expected]) => {
		expect(await run(at.gateway)).toMatchObject(expected);
	});

	test("a refund is listed with its transaction", async () => {
		const { gateway, paid } = at;
		const asked = { ...wholeRefund, transaction: paid.reference, amountMinor: 40_000n };
		const made = await acceptedBy(createRefund(gateway, asked));
		expect(made).toMatchObject({ amountMinor: 40_000n, currency: "KES", transactionId: paid.id });
		const refunds = [{ id: made.id, amountMinor: 40_000n, transactionId: paid.id }];
		const all = { page: 1, perPage: 100, from: "2026-01-01T00:00:00.000Z" };
		const listed = { refunds, unreadable: 0 };
		expect(await acceptedBy(listRefunds(gateway, { ...all, transaction: paid.id }))).toMatchObject(listed);
		expect(await acceptedBy(listRefunds(gateway, all))).toMatchObject(listed);
	});

	test("a dispute is listed, and asked for by its id", async () => {
		const { gateway, sandbox, paid } = at;
		const asked = { reference: paid.reference, amount: 2_000 };
		const { id } = (await control(sandbox.url, "POST dispute", asked)) as { id: number };
		const dispute = { gatewayId: String(id), status: "open", amountMinor: 2_000n };
		const stated = { transactionId: paid.id, reference: paid.reference, currency: "KES", dispute };
		const listed = await acceptedBy(listDisputes(gateway, { page: 1, perPage: 100 }));
		expect(listed).toMatchObject({ disputes: [stated], unreadable: 0 });
		expect(await acceptedBy(fetchDispute(gateway, dispute.gatewayId))).toMatchObject(stated);
		expect(await fetchDispute(gateway, "1")).toMatchObject({ is: "refused", code: "not_found" });
	});

	test("a transfer waits for its one-time password, which may be sent again", async () => {
		const { gateway, sandbox } = at;
		await control(sandbox.url, "PUT otp", { is_required: true });
		const { transferCode = "", status } = await acceptedBy(startTransfer(gateway, transfer(out(6))));
		expect(status).toBe("otp");
		const { otp: first } = await waitingTransfer(sandbox.url);
		await acceptedBy(resendOtp(gateway, transferCode));
		const { otp } = await waitingTransfer(sandbox.url);
		const refused = await finalizeTransfer(gateway, { transferCode, otp: first });
		expect(refused).toMatchObject({ is: "refused", code: "otp_invalid" });
		const sent = await acceptedBy(finalizeTransfer(gateway, { transferCode, otp }));
		expect(sent).toMatchObject({ reference: out(6), status: "pending", amountMinor: 10_000n });
		await control(sandbox.url, "PUT otp", { is_required: false });
	});

	test("a settlement is listed with its transactions", async () => {
		const { gateway, sandbox } = at;
		const { reference } = await payByCard(gateway, sandbox.url);
		await control(sandbox.url, "POST settle");
		const { settlements, unreadable } = await acceptedBy(listSettlements(gateway, page));
		expect([settlements.length, unreadable]).toEqual([1, 0]);
		const [settlement] = settlements;
		expect(settlement).toMatchObject({ currency: "KES", processedMinor: 200_000n, feesMinor: 7_000n });
		const of = { ...page, settlementId: String(settlement?.id) };
		const lines = await acceptedBy(listSettlementLines(gateway, of));
		expect(lines.unreadable).toBe(0);
		expect(lines.transactions.find((line) => line.reference === reference)).toMatchObject({
			...{ amountMinor: 100_000n, feesMinor: 3_500n },
		});
	});

	test("a card is subscribed to a plan, stopped and continued", async () => {
		const { gateway, paid } = at;
		const { planCode } = await acceptedBy(createPlan(gateway, plan));
		const { customer, authorization } = paid.data as Record<string, Record<string, string>>;
		const of = {
			...{ plan: planCode, customer: String(customer?.["customer_code"]) },
			authorization: String(authorization?.["authorization_code"]),
		};
		const ids = await acceptedBy(createSubscription(gateway, of));
		const read = { subscriptionCode: expect.stringMatching(/^SUB_/), emailToken: expect.any(String) };
		expect(ids).toMatchObject(read);
		await acceptedBy(disableSubscription(gateway, ids));
		const again = await disableSubscription(gateway, ids);
		expect(again).toMatchObject({ is: "refused", code: "not_found" });
		await acceptedBy(enableSubscription(gateway, ids));
		await acceptedBy(disableSubscription(gateway, ids));
	});
});

/** That gateway's own documentation has these parameters; the description leaves them out. */
const waivers = [
	"GET /refund: ?transaction is not described",
	"GET /settlement/{id}/transactions: ?page is not described",
	"GET /settlement/{id}/transactions: ?perPage is not described",
	"GET /transaction: ?perPage is not described",
];

test("the public description of a real gateway allows every call that is sent, but for what is waived", () => {
	expect(new Set(sent.map(({ operation }) => operation)).size).toBe(22);
	const found = new Set(sent.flatMap((call) => findCallViolations(call)));
	expect([...found].toSorted()).toEqual(waivers);
});

/** The transfer that waits for its one-time password, as the sandbox shows it on its page. */
async function waitingTransfer(url: string): Promise<{ otp: string }> {
	const { transfers } = (await control(url, "GET overview")) as { transfers: Array<{ otp: string }> };
	const [waiting] = transfers;
	if (waiting === undefined) throw new Error("no transfer waits for a password");
	return waiting;
}
