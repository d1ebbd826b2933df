import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { payUrlOf } from "../src/payments/pay-code.ts";
import { addBill, keys } from "./add-bill.ts";
import { newPhone, openTill } from "./till.ts";

const till = setUp(() => openTill({ HTTP_ALLOWED_ORIGINS: "https://shop.example" }));
afterEach(async () => {
	till.clock.now = undefined;
	await till.cards("PUT", "/_control/faults", []);
});

type More = Parameters<typeof addBill>[2];

/** An intent of 2,500.00 shillings with its pay code. */
async function newIntent(more: More = {}) {
	const { uhai } = till.tenants;
	const intent = await inTenant(till.database.db, uhai.id, (tx) => addBill(tx, uhai.id, more));
	const code =
		payUrlOf(intent, { keys, settings: { consoleUrl: "" } })
			.split("/")
			.at(-1) ?? "";
	return { intent, code };
}

const read = (code: string) => till.call({ method: "GET", url: `/api/v1/pay/${code}` });
const byPhone = (code: string, phone: string) =>
	till.call({ method: "POST", url: `/api/v1/pay/${code}/push`, body: { phone } });
const byCard = (code: string, body: object = { email: "amina@example.com" }) =>
	till.call({ method: "POST", url: `/api/v1/pay/${code}/checkout`, body });
const pay = (accessCode: unknown, action = "pay") =>
	till.cards("POST", `/_control/checkouts/${accessCode}`, { action, channel: "card" });
const lose = () =>
	till.cards("PUT", "/_control/faults", [{ operation: "charge.success", fault: "drop", count: 1 }]);
const comeBack = (query: string) => till.call({ method: "GET", url: `/api/v1/payments/callback${query}` });
const halt = (is_on: boolean) =>
	till.call({
		...{ method: "PUT", url: "/api/v1/platform/halts" },
		token: till.token(till.tenants.lango, "superuser"),
		body: { scope: "collections", is_on, because: "the gateway is being tested" },
	});

test("a pay code shows what is to be paid, who gets it and how, and names no tenant, operation or other request", async () => {
	const { code, intent } = await newIntent();
	const { status, body } = await read(code);
	expect([status, body]).toEqual([
		200,
		{
			...{ status: "requires_payment", description: "Lango plan", payee_name: till.tenants.lango.name },
			...{ amount_minor: 250_000, due_minor: 250_000, currency: "KES" },
			...{ expires_at: expect.any(String), is_over: false, return_url: null, needs_email: true },
			phone: {
				...{ shortcode: "600100", kind: "paybill", account_code: intent.accountCode },
				prompt_refusal: null,
			},
			...{ card_channels: ["card"], latest_attempt: null },
		},
	]);
});

test("money in another currency than shillings is paid by card: no paybill is shown, and no phone is asked", async () => {
	const { code } = await newIntent({ currency: "USD", amountMinor: 1_000n });
	expect((await read(code)).body).toMatchObject({ currency: "USD", phone: null, card_channels: ["card"] });
	const refused = await byPhone(code, newPhone("accepts"));
	expect([refused.status, refused.body["code"]]).toEqual([409, "channel_unavailable"]);
	expect((await read(code)).body["latest_attempt"]).toBeNull();
});

test.each([
	["platform", 25_000_000n, null],
	["platform", 25_000_001n, "amount_out_of_range"],
	["tenant", 25_000_100n, "amount_out_of_range"],
	["tenant", 10_050n, "amount_not_whole"],
] as const)(
	"a prompt to the %s for %s is offered only if the gateway takes it",
	async (payee, amountMinor, refusal) => {
		const { code, intent } = await newIntent({ payee, amountMinor });
		expect((await read(code)).body["phone"]).toMatchObject({
			...{ account_code: intent.accountCode, prompt_refusal: refusal },
		});
		const asked = await byPhone(code, newPhone("is silent"));
		expect([asked.status, asked.body["code"] ?? null]).toEqual([refusal === null ? 202 : 400, refusal]);
	},
);

test("a bill says to the tenant why no phone can be asked to pay it", async () => {
	const { uhai } = till.tenants;
	const refusalOf = async (amountMinor: bigint) => {
		const { intent } = await newIntent({ amountMinor });
		const url = `/api/v1/${uhai.slug}/treasury/bills/${intent.operationId}`;
		return (await till.call({ method: "GET", url, token: till.token(uhai, "admin") })).body["prompt_refusal"];
	};
	expect([await refusalOf(25_000_000n), await refusalOf(25_000_001n)]).toEqual([null, "amount_out_of_range"]);
});

test("a request of the tenant's own trade is paid to the tenant, at its shortcode", async () => {
	const { code } = await newIntent({ payee: "tenant" });
	expect((await read(code)).body).toMatchObject({
		...{ payee_name: till.tenants.uhai.name, phone: { shortcode: "600200" } },
	});
});

test("a code that is not known is not found, on every route", async () => {
	const unknown = "A".repeat(27);
	const answers = [await read(unknown), await byPhone(unknown, "0712345678"), await byCard(unknown)];
	expect(answers.map(({ status, body }) => [status, body["code"]])).toEqual(
		Array(3).fill([404, "intent_not_found"]),
	);
});

test("a payer pays by card: the browser comes back, the gateway is asked, and the page says paid", async () => {
	const { code, intent } = await newIntent({
		payee: "tenant",
		returnUrl: "https://shop.example/orders?id=7",
	});
	const { status, body } = await byCard(code);
	expect(status).toBe(201);
	await lose();
	await pay(body["access_code"]);
	const back = await till.service.app.inject(`/api/v1/payments/callback?reference=${body["reference"]}`);
	expect([back.statusCode, back.headers.location]).toEqual([
		303,
		`https://shop.example/orders?id=7&intent_id=${intent.id}&status=succeeded`,
	]);
	expect((await read(code)).body).toMatchObject({
		status: "succeeded",
		due_minor: 0,
		card_channels: [],
		phone: null,
	});
});

test("the browser of a payer whose request has no return address comes to the pay page", async () => {
	const { code } = await newIntent();
	const { body } = await byCard(code);
	const back = await till.service.app.inject(`/api/v1/payments/callback?trxref=${body["reference"]}`);
	expect([back.statusCode, back.headers.location]).toEqual([
		303,
		`https://console.lango.example/pay/${code}`,
	]);
});

test("what the address says about the result is not read", async () => {
	const { code } = await newIntent({ payee: "tenant", returnUrl: "https://shop.example/" });
	const { body } = await byCard(code);
	const query = `reference=${body["reference"]}&status=success&intent_id=x`;
	const back = await till.service.app.inject(`/api/v1/payments/callback?${query}`);
	expect(back.headers.location).toMatch(
		/^https:\/\/shop\.example\/\?intent_id=[-0-9a-f]{36}&status=processing$/,
	);
});

test.each(["", "?reference=pay-00000000000000000000000000000000", "?reference=", "?reference=x&reference=y"])(
	"a redirect with %o is not found or refused",
	async (query) => {
		const { status, body } = await comeBack(query);
		expect([
			[404, "reference_unknown"],
			[400, "invalid_input"],
		]).toContainEqual([status, body["code"]]);
	},
);

test("a gateway that does not answer holds up the payer for three seconds at most", async () => {
	const { code } = await newIntent();
	const { body } = await byCard(code);
	await till.cards("PUT", "/_control/faults", [{ operation: "verify", fault: "delay", count: 1, ms: 6_000 }]);
	const began = performance.now();
	await till.service.app.inject(`/api/v1/payments/callback?reference=${body["reference"]}`);
	expect(performance.now() - began).toBeLessThan(5_500);
});

test("a payer's phone is asked, and the page follows it until it has paid", async () => {
	const { code } = await newIntent({ payee: "tenant" });
	const phone = newPhone("accepts");
	expect(await byPhone(code, phone)).toMatchObject({ status: 202, body: { status: "awaiting" } });
	expect((await read(code)).body["latest_attempt"]).toMatchObject({
		...{ channel: "push", status: "awaiting", phone_masked: expect.stringMatching(/^2547•+001$/) },
	});
	expect(await byPhone(code, phone)).toMatchObject({ status: 409, body: { code: "prompt_live" } });
	await till.wait(10);
	const follow = async () => {
		await till.service.jobs.runDue();
		return (await read(code)).body["status"];
	};
	await expect.poll(follow).toBe("succeeded");
});

test("a code starts ten prompts a day, however many phones are named", async () => {
	const { code } = await newIntent();
	const answers: number[] = [];
	for (let prompt = 1; prompt <= 10; prompt += 1)
		answers.push((await byPhone(code, newPhone("is silent"))).status);
	expect(answers).toEqual(Array(10).fill(202));
	expect(await byPhone(code, newPhone("is silent"))).toMatchObject({
		status: 409,
		body: { code: "prompts_spent" },
	});
	expect((await byCard(code)).status).toBe(201);
});

test.each([
	["0612345678", "phone_invalid"],
	["", "invalid_input"],
])("the phone %o is refused", async (phone, code) => {
	const answer = await byPhone((await newIntent()).code, phone);
	expect([answer.status, answer.body["code"]]).toEqual([400, code]);
});

test("a request whose customer has an e-mail address needs none; another one does", async () => {
	const known = await newIntent({ customer: { email: "amina@example.com" } });
	expect((await read(known.code)).body["needs_email"]).toBe(false);
	expect((await byCard(known.code, {})).status).toBe(201);
	const answer = await byCard((await newIntent()).code, {});
	expect([answer.status, answer.body["code"]]).toEqual([400, "email_required"]);
});

test("while collections are halted nothing is offered, and nothing is sent", async () => {
	const { code } = await newIntent();
	await halt(true);
	const page = await read(code);
	const answers = [await byPhone(code, newPhone("accepts")), await byCard(code)];
	await halt(false);
	expect(page.body).toMatchObject({ phone: null, card_channels: [] });
	expect(answers.map(({ status, body }) => [status, body["code"]])).toEqual([
		[503, "halted"],
		[503, "halted"],
	]);
});

test("a request whose time is over can be seen, and not paid", async () => {
	const { code } = await newIntent({ expiresAt: new Date(Date.now() - 1_000) });
	expect((await read(code)).body).toMatchObject({ phone: null, card_channels: [] });
	expect((await byCard(code)).body["code"]).toBe("intent_closed");
	expect((await byPhone(code, newPhone("accepts"))).body["code"]).toBe("intent_closed");
});
