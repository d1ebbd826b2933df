/** The published client library of a real gateway of this kind runs against this one unchanged. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { secretKey, startTestGateway, type TestGateway } from "./harness.ts";

const header = "x-paystack-signature";
const email = "amina@kahawa.example";
let gateway: TestGateway;

type Answer = { data?: unknown; error?: unknown; response: Response };
type Library = Record<string, (init?: { body?: object; params?: object }) => Promise<Answer>>;
type Package = {
	createPaystack: (options: { secretKey: string; baseUrl: string }) => Library;
	verifyPaystackWebhookSignature: (of: { rawBody: string; signature: string; secret: string }) => boolean;
};
/** Imported by a variable: its declarations have more types than the linter can read. */
const name = "@alexasomba/paystack-node";
const { createPaystack, verifyPaystackWebhookSignature }: Package = await import(name);
let library: Library;

beforeAll(async () => {
	gateway = await startTestGateway({ signatureAliases: [header], pathPrefix: "/v1" });
	library = createPaystack({ secretKey, baseUrl: `${gateway.url}/v1` });
});
afterAll(() => gateway.stop());

/** The data of the library's answer to a call. Throws at an error. */
async function ask(call: string, init: { body?: object; params?: object } = {}) {
	const answer = await library[call]?.(init);
	if (answer?.data === undefined) throw new Error(`${call}: ${JSON.stringify(answer?.error)}`);
	return (answer.data as { data: Record<string, unknown> }).data;
}

/** The same for a list. */
const list = async (call: string, init = {}) =>
	(await ask(call, init)) as unknown as Array<Record<string, unknown>>;

test("it takes a payment, and believes the signature of the event", async () => {
	const started = await ask("transaction_initialize", { body: { email, amount: 100_000 } });
	await gateway.control(`POST checkouts/${started["access_code"]}`, { action: "pay", channel: "card" });
	const path = { reference: started["reference"] };
	expect(await ask("transaction_verify", { params: { path } })).toMatchObject({
		status: "success",
		fees: 3_500,
	});
	await expect.poll(() => gateway.received).toHaveLength(1);
	const event = gateway.received.at(0);
	const of = { signature: String(event?.headers[header]), secret: secretKey };
	expect(verifyPaystackWebhookSignature({ ...of, rawBody: event?.raw ?? "" })).toBe(true);
	expect(verifyPaystackWebhookSignature({ ...of, rawBody: `${event?.raw} ` })).toBe(false);
});

test("it lists payments, refunds one, reads settlements and the balance", async () => {
	const reference = await gateway.pay();
	expect(await list("transaction_list", { params: { query: { status: "success" } } })).not.toEqual([]);
	await ask("refund_create", { body: { transaction: reference, amount: 1_000 } });
	expect(await list("refund_list")).toMatchObject([{ amount: 1_000, status: "pending" }]);
	await gateway.control("POST settle", {});
	const [settlement] = await list("settlements_fetch");
	const path = { id: settlement?.["id"] };
	expect(await list("settlements_transaction", { params: { path } })).not.toEqual([]);
	expect(await list("balance_fetch")).toEqual([{ currency: "KES", balance: 0 }]);
});

test("it registers a recipient and pays out, alone and in bulk, with and without a one-time password", async () => {
	await gateway.control("POST top-up", { amount: 1_000_000 });
	const [bank] = await list("bank_list", { params: { query: { country: "kenya" } } });
	const asked = { type: "nuban", name: "Duka Mart", account_number: "0100200301", currency: "KES" };
	const { recipient_code: recipient } = await ask("transferrecipient_create", {
		body: { ...asked, bank_code: bank?.["code"] },
	});
	const transfer = { source: "balance", amount: 1_000, currency: "KES", recipient };
	await ask("transfer_initiate", { body: { ...transfer, reference: "out-1" } });
	const path = { reference: "out-1" };
	expect(await ask("transfer_verify", { params: { path } })).toMatchObject({ status: "pending" });
	const transfers = [{ amount: 500, recipient, reference: "out-2" }];
	expect(
		await list("transfer_bulk", { body: { source: "balance", currency: "KES", transfers } }),
	).toHaveLength(1);

	await gateway.control("PUT otp", { is_required: true });
	const { transfer_code: code } = await ask("transfer_initiate", {
		body: { ...transfer, reference: "out-3" },
	});
	const resent = await library["transfer_resendOtp"]?.({ body: { transfer_code: code, reason: "transfer" } });
	expect(resent?.response.status).toBe(200);
	const [{ otp }] = (await gateway.control("GET overview")).transfers;
	expect(await ask("transfer_finalize", { body: { transfer_code: code, otp } })).toMatchObject({
		status: "pending",
	});
});

test("it makes a page, a plan and a subscription, and stops and continues the subscription", async () => {
	await gateway.pay();
	const page = await ask("page_create", { body: { name: "Fund", amount: 100 } });
	expect(page["slug"]).toMatch(/^\w{10}$/);
	const { plan_code: plan } = await ask("plan_create", {
		body: { name: "Gold", interval: "monthly", amount: 100 },
	});
	const subscription = await ask("subscription_create", { body: { customer: email, plan } });
	const body = { code: subscription["subscription_code"], token: subscription["email_token"] };
	for (const call of ["subscription_disable", "subscription_enable"])
		expect((await library[call]?.({ body }))?.response.status).toBe(200);
});
