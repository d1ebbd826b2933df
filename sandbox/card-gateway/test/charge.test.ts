import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { now, secretKey, startTestGateway, type TestGateway } from "./harness.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startTestGateway({ signatureAliases: ["x-paystack-signature"], pathPrefix: "/cardgw" });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
	await gateway.control("POST reset");
	gateway.received.length = 0;
	gateway.answers.length = 0;
});

const verify = async (reference: string) =>
	(await gateway.call(`GET /transaction/verify/${reference}`)).body.data;
const choose = (code: string, choice: Record<string, string>) =>
	fetch(`${gateway.url}/checkout/${code}`, {
		...{ method: "POST", redirect: "manual", body: new URLSearchParams(choice) },
	});

test("a payer pays at the checkout, returns to the merchant, and the merchant gets the event and can verify the payment", async () => {
	const started = await gateway.initialize({
		reference: "pay-1",
		callback_url: "https://shop.example/done?order=7",
		metadata: { order_id: "7" },
	});
	expect(started).toEqual({
		authorization_url: `${gateway.url}/checkout/${started.access_code}`,
		access_code: expect.stringMatching(/^[a-z0-9]{15}$/),
		reference: "pay-1",
	});
	expect(await verify("pay-1")).toMatchObject({ status: "abandoned", fees: null, paid_at: null });

	const page = await (await fetch(started.authorization_url)).text();
	expect(page).toContain("Pay KES 1,000.00");
	expect(await verify("pay-1")).toMatchObject({ status: "ongoing" });

	const answer = await choose(started.access_code, { action: "pay", channel: "card" });
	expect([answer.status, answer.headers.get("location")]).toEqual([
		...[303, "https://shop.example/done?order=7&trxref=pay-1&reference=pay-1"],
	]);
	const paid = {
		status: "success",
		amount: 100_000,
		fees: 3_500,
		channel: "card",
		metadata: { order_id: "7" },
	};
	expect(await verify("pay-1")).toMatchObject({ ...paid, paid_at: now });
	await expect.poll(() => gateway.received).toMatchObject([{ event: "charge.success", data: paid }]);
	expect((await gateway.control("GET ledger")).balances).toEqual({
		KES: { unsettled: 96_500, balance: 0, bank: 0, fees: 3_500 },
	});
});

test("a payer who bears the fee pays more than was asked for, and all of it can be returned", async () => {
	const reference = await gateway.pay({ email: "bears-fee@kahawa.example" });
	const paid = { amount: 103_500, requested_amount: 100_000, fees: 3_500 };
	expect(await verify(reference)).toMatchObject(paid);
	expect((await gateway.control("GET ledger")).balances).toMatchObject({
		KES: { unsettled: 100_000, fees: 3_500 },
	});
	const { body } = await gateway.call("POST /refund", { transaction: reference });
	expect(body.data.amount).toBe(103_500);
});

test("an event is signed with the secret key over its exact bytes, also under the alias of the header", async () => {
	await gateway.pay();
	await expect.poll(() => gateway.received).toHaveLength(1);
	const [{ raw, headers } = { raw: "", headers: {} }] = gateway.received;
	const signature = createHmac("sha512", secretKey).update(raw).digest("hex");
	expect(headers).toMatchObject({
		"x-cardgw-signature": signature,
		"x-paystack-signature": signature,
		"content-type": "application/json",
	});
});

test("an event is sent again, the same bytes, until it is answered with 200 and nothing else", async () => {
	gateway.answers.push(500, 202, 204);
	await gateway.pay();
	await expect.poll(() => gateway.received).toHaveLength(4);
	expect(new Set(gateway.received.map(({ raw }) => raw)).size).toBe(1);
	await expect
		.poll(async () => (await gateway.control("GET deliveries")).items)
		.toMatchObject([{ operation: "charge.success", state: "delivered", answered: 200, attempts: 4 }]);
});

test.each([
	["decline", "card", "failed"],
	["wait", "bank_transfer", "pending"],
	["abandon", "ussd", "abandoned"],
])(
	"a payer who chooses %s with %s leaves the transaction %s, and the merchant gets no event",
	async (action, channel, status) => {
		const { reference, access_code: code } = await gateway.initialize({
			callback_url: "https://shop.example/",
		});
		const answer = await choose(code, { action, channel });
		const back = `https://shop.example/?trxref=${reference}&reference=${reference}`;
		expect(answer.headers.get("location")).toBe(action === "abandon" ? back : `/checkout/${code}`);
		expect(await verify(reference)).toMatchObject({ status, channel, fees: null });
		expect(await (await fetch(`${gateway.url}/checkout/${code}`)).text()).toContain(
			back.replace("&", "&amp;"),
		);
		expect((await gateway.control("GET deliveries")).items).toEqual([]);
	},
);

test("a declined transaction can be paid afterwards, and a paid one is charged once", async () => {
	const { reference, access_code: code } = await gateway.initialize();
	await choose(code, { action: "decline", channel: "card" });
	await choose(code, { action: "pay", channel: "bank_transfer" });
	await choose(code, { action: "pay", channel: "card" });
	await choose(code, { action: "decline", channel: "card" });
	expect(await verify(reference)).toMatchObject({
		...{ status: "success", channel: "bank_transfer", fees: 5_000 },
		log: { attempts: 0, errors: 1, success: true },
	});
	await expect.poll(() => gateway.received).toHaveLength(1);
});

test.each([
	["254712345001", "success", "Approved"],
	["254712345032", "failed", "Cancelled by the user"],
	["254712345037", "pending", "Waiting for the payment"],
	["254712345201", "failed", "Wrong PIN"],
	["254712345100", "failed", "Insufficient funds"],
])("mobile money of phone %s ends as %s", async (phone, status, response) => {
	const reference = await gateway.pay(
		{ mobile_money: { phone, provider: "pesa" } },
		{ channel: "mobile_money", phone },
	);
	expect(await verify(reference)).toMatchObject({ status, gateway_response: response });
});

test("a channel that the merchant did not allow is refused", async () => {
	const { access_code: code } = await gateway.initialize({ channels: ["card"] });
	const answer = await choose(code, { action: "pay", channel: "ussd" });
	expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("cannot be paid by")]);
});

test("the checkout of an unknown code is a page that says so", async () => {
	const answer = await fetch(`${gateway.url}/checkout/none`);
	expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("no such checkout")]);
});

test("the checkout escapes what the merchant named", async () => {
	const { authorization_url: address } = await gateway.initialize({
		callback_url: 'https://shop.example/?a="><script>alert(1)</script>',
	});
	expect(await (await fetch(address)).text()).not.toContain("<script");
});

const start = "POST /transaction/initialize";
const email = "amina@kahawa.example";
test.each<{
	why: string;
	what: string;
	body?: object;
	key?: string;
	refusal?: [status: number, code: string];
}>([
	{ why: "no key", what: start, body: { amount: 1, email }, key: "", refusal: [401, "invalid_Key"] },
	{ why: "a wrong key", what: "GET /transaction", key: "sk_other", refusal: [401, "invalid_Key"] },
	{ why: "no amount", what: start, body: { email } },
	{ why: "an amount of 0", what: start, body: { amount: 0, email } },
	{ why: "half a lowest unit", what: start, body: { amount: 1.5, email } },
	{ why: "no e-mail address", what: start, body: { amount: 1, email: "amina" } },
	{ why: "no known channel", what: start, body: { amount: 1, email, channels: ["qr"] } },
	{
		why: "a callback that is not a web address",
		what: start,
		body: { amount: 1, email, callback_url: "a:b" },
	},
	{
		...{ why: "a reference with a space", what: start, body: { amount: 1, email, reference: "a b" } },
		refusal: [400, "invalid_reference"],
	},
	{
		...{ why: "an unknown reference", what: "GET /transaction/verify/none" },
		refusal: [404, "transaction_not_found"],
	},
	{ why: "a wrong cursor", what: "GET /transaction?next=abc" },
	{ why: "a wrong date", what: "GET /transaction?from=soon" },
])(
	"$why is refused in the gateway's words",
	async ({ what, body, key, refusal = [400, "invalid_params"] }) => {
		const [status, code] = refusal;
		expect(await gateway.call(what, body, key)).toEqual({
			status,
			body: {
				...{ status: false, message: expect.any(String), meta: { nextStep: expect.any(String) } },
				...{ type: "validation_error", code },
			},
		});
	},
);

test("a reference that was used before is refused", async () => {
	await gateway.initialize({ reference: "pay-1" });
	const again = await gateway.call(start, { amount: 1, email, reference: "pay-1" });
	expect(again).toMatchObject({ status: 400, body: { code: "duplicate_reference" } });
});

test("the calls answer below the path prefix, too", async () => {
	const reference = await gateway.pay();
	const answers = [
		await gateway.call(`GET /cardgw/transaction/verify/${reference}`),
		await gateway.call(`GET /transaction/verify/${reference}`),
	];
	expect(answers[0]).toEqual(answers[1]);
});

test("an amount as text and metadata as JSON text are read, as client libraries send them", async () => {
	const { reference } = await gateway.initialize({ amount: "40333", metadata: '{"order_id":"7"}' });
	expect(await verify(reference)).toMatchObject({ amount: 40_333, metadata: { order_id: "7" } });
});

test("transactions are listed newest first, by cursor and by page, narrowed by status, customer and time", async () => {
	const paid = [await gateway.pay(), await gateway.pay()];
	const open = await gateway.initialize({ email: "juma@duka.example" });
	const list = async (query: string) => (await gateway.call(`GET /transaction?${query}`)).body;
	const references = ({ data }: { data: Array<{ reference: string }> }) =>
		data.map(({ reference }) => reference);

	const first = await list("perPage=2");
	expect(references(first)).toEqual([open.reference, paid[1]]);
	expect(references(await list(`perPage=2&next=${encodeURIComponent(first.meta.next)}`))).toEqual([paid[0]]);
	const second = await list("perPage=2&page=2");
	expect(references(second)).toEqual([paid[0]]);
	expect(second.meta).toEqual({
		...{ total: 3, total_volume: 300_000, skipped: 2, perPage: 2, page: 2, pageCount: 2 },
	});
	expect(references(await list("status=success"))).toEqual(paid.toReversed());
	const { customer } = (await list("status=abandoned")).data[0];
	expect(references(await list(`customer=${customer.id}`))).toEqual([open.reference]);
	expect(references(await list(`customer=${customer.customer_code}`))).toEqual([open.reference]);
	expect(references(await list("from=2026-11-24&to=2026-11-24"))).toHaveLength(3);
	expect(references(await list("to=2026-11-23"))).toEqual([]);
});
