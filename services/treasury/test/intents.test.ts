import { randomUUID } from "node:crypto";
import { authUserDeleted, type PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { listAttempts } from "../src/payments/attempt.store.ts";
import { addBill } from "./add-bill.ts";
import { receive } from "./receive.ts";
import { newPhone, openTill } from "./till.ts";

const till = setUp(openTill);
const order = { amount_minor: 150_000, currency: "KES", description: "Order 17", channels: ["push"] };

type Caller = { tenant?: PublicTenant; token?: string; key?: string };
type Request = Caller & { body?: object };
const admins = new Map<string, string>();

/** An administrator of a tenant: the same person on every call. */
function adminOf(tenant: PublicTenant): string {
	const token = admins.get(tenant.id) ?? till.token(tenant, "admin");
	admins.set(tenant.id, token);
	return token;
}

/** Calls a route of the treasury, as an administrator of Uhai unless the test says otherwise. */
function ask(method: string, path: string, { tenant = till.tenants.uhai, token, key, body }: Request = {}) {
	return till.call({
		...{ method, url: `/api/v1/${tenant.slug}/treasury/${path}`, body },
		token: token ?? adminOf(tenant),
		...(key !== undefined && { headers: { "idempotency-key": key } }),
	});
}
const create = (change: object = {}, caller: Caller = {}) =>
	ask("POST", "intents", { ...caller, body: { ...order, ...change } });
const idOf = async (change: object = {}, caller: Caller = {}) => {
	const { status, body } = await create(change, caller);
	expect(status).toBe(201);
	return String(body["id"]);
};
const show = async (id: string, caller: Caller = {}) => (await ask("GET", `intents/${id}`, caller)).body;
const push = (id: string, phone: string, caller: Caller = {}) =>
	ask("POST", `intents/${id}/push`, { ...caller, body: { phone } });
const cancel = (id: string, caller: Caller = {}) => ask("POST", `intents/${id}/cancel`, caller);

/** Lets the payer answer, and applies what the gateway says until the intent has a status. */
async function becomes(id: string, status: string, caller: Caller = {}): Promise<void> {
	await till.wait(10);
	const look = async () => {
		await till.service.jobs.runDue();
		return (await show(id, caller))["status"];
	};
	await expect.poll(look).toBe(status);
}

const codeOf = ({ status, body }: Awaited<ReturnType<typeof ask>>) => [status, body["code"]];

test("an intent says what is to be paid, and how: by account code, pay page and channels", async () => {
	const made = await create({ order_id: "17", customer: { phone: "0712 345 678" } });
	expect(made).toMatchObject({
		status: 201,
		body: {
			...{ status: "requires_payment", payee: "tenant", amount_minor: 150_000, received_minor: 0 },
			...{ order_id: "17", source_service: "treasury", channels: ["push"], version: 1 },
			pay_url: expect.stringMatching(/^https:\/\/console\.lango\.example\/pay\/[\w-]{27}$/),
			account_code: expect.stringMatching(/^[0-9A-Z]{10}$/),
			...{ attempts: [], payments: [] },
		},
	});
	expect(made.body["operation_id"]).toBe(made.body["id"]);
	expect((await ask("GET", `intents/${made.body["id"]}`)).body).toEqual(made.body);
});

test("the same operation is one intent, and is answered with its present state", async () => {
	const operation_id = randomUUID();
	const first = await create({ operation_id });
	const again = await create({ operation_id });
	expect([again.status, again.body["id"]]).toEqual([200, first.body["id"]]);
	const other = await create({ operation_id, source_service: "pos" });
	expect([other.status, other.body["id"] === first.body["id"]]).toEqual([201, false]);
});

test("an operation that is asked for with other details is refused", async () => {
	const operation_id = randomUUID();
	await create({ operation_id });
	expect(codeOf(await create({ operation_id, amount_minor: 160_000 }))).toEqual([409, "operation_differs"]);
});

test("an Idempotency-Key makes one intent, also when requests with it come at once; another body is refused", async () => {
	const key = randomUUID();
	const all = await Promise.all(Array.from({ length: 8 }, () => create({}, { key })));
	expect(new Set(all.map(({ body }) => body["id"])).size).toBe(1);
	expect(all.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
	expect(codeOf(await create({ description: "Order 18" }, { key }))).toEqual([409, "idempotency_key_reused"]);
});

test("a key that comes with a known operation names its intent: another body is refused, also when both come at once", async () => {
	const operation_id = randomUUID();
	const id = await idOf({ operation_id }, { key: randomUUID() });
	const key = randomUUID();
	expect(await create({ operation_id }, { key })).toMatchObject({ status: 200, body: { id } });
	expect(codeOf(await create({}, { key }))).toEqual([409, "idempotency_key_reused"]);
	for (let times = 0; times < 20; times++) {
		const raced = randomUUID();
		const both = [create({ operation_id }, { key: raced }), create({}, { key: raced })];
		const codes = (await Promise.all(both)).map((answer) => codeOf(answer).join(" ").trim());
		expect(codes).toBeOneOf([
			["200", "409 idempotency_key_reused"],
			["409 idempotency_key_reused", "201"],
		]);
	}
});

test("a key that another caller used makes another intent", async () => {
	const key = randomUUID();
	const one = await idOf({}, { key });
	expect(await idOf({}, { key, token: till.token(till.tenants.uhai, "manager") })).not.toBe(one);
});

test.each([
	[{ amount_minor: 150_050 }, 400, "amount_not_whole"],
	[{ amount_minor: 25_000_100 }, 400, "amount_out_of_range"],
	[{ amount_minor: 0 }, 400, "invalid_input"],
	[{ currency: "USD" }, 409, "channel_unavailable"],
	[{ return_url: "https://elsewhere.example/thanks" }, 400, "return_url_refused"],
	[{ customer: { phone: "0612345678" } }, 400, "phone_invalid"],
	[{ expires_at: "2020-01-01T00:00:00Z" }, 400, "invalid_input"],
	[{ source_service: "subscriptions" }, 400, "invalid_input"],
	[{ description: "two\nlines" }, 400, "invalid_input"],
])("an intent with %o is refused", async (change, status, code) => {
	expect(codeOf(await create(change))).toEqual([status, code]);
});

test("the most that the gateway takes is that of its profile", async () => {
	const setMost = (most: number) =>
		till.database.db.query(
			`update gateway_profiles set settings = settings || '{"payment_max_minor": ${most}}'`,
		);
	await setMost(100_000);
	const answers = [await create({ amount_minor: 100_100 }), await create({ amount_minor: 100_000 })];
	await setMost(25_000_000);
	expect(answers.map(({ status }) => status)).toEqual([400, 201]);
});

test("a channel that the tenant has not set up is refused", async () => {
	const answer = await create(
		{},
		{ tenant: till.tenants.duka, token: till.token(till.tenants.lango, "superuser") },
	);
	expect(codeOf(answer)).toEqual([409, "channel_unavailable"]);
});

test("without channels every channel is open that can take the amount", async () => {
	const page = ["card", "bank_transfer", "mobile_money", "ussd"];
	const channelsOf = async (amount_minor: number) =>
		(await create({ amount_minor, channels: undefined })).body["channels"];
	expect(await channelsOf(150_000)).toEqual(["push", ...page]);
	expect(await channelsOf(150_050)).toEqual(page);
});

test("a payer may return to a front end of the platform", async () => {
	expect((await create({ return_url: "https://console.lango.example/orders/17" })).status).toBe(201);
});

test("a list has what its filters name, the newest first, page by page", async () => {
	const order_id = randomUUID();
	const ids = [await idOf({ order_id }), await idOf({ order_id }), await idOf({ order_id })];
	const first = await ask("GET", `intents?order_id=${order_id}&limit=2&total=true`);
	const items = (page: typeof first) => (page.body["items"] as Array<{ id: string }>).map(({ id }) => id);
	expect([items(first), first.body["total"]]).toEqual([[ids[2], ids[1]], 3]);
	const next = await ask("GET", `intents?order_id=${order_id}&limit=2&cursor=${first.body["next_cursor"]}`);
	expect([items(next), next.body["next_cursor"]]).toEqual([[ids[0]], null]);
	await ask("POST", `intents/${ids[0]}/cancel`);
	expect(items(await ask("GET", `intents?order_id=${order_id}&status=cancelled`))).toEqual([ids[0]]);
	const later = new Date(Date.now() + 60_000).toISOString();
	expect(items(await ask("GET", `intents?order_id=${order_id}&from=${later}`))).toEqual([]);
	expect(items(await ask("GET", `intents?order_id=${order_id}&to=${later}`))).toHaveLength(3);
});

test("what money may be for is found by account code, order, description or amount, as long as something is due", async () => {
	const order_id = `A-${randomUUID()}`;
	const made = await create({
		order_id,
		description: "Chairs 100%",
		amount_minor: 1_234_550,
		channels: ["card"],
	});
	const id = made.body["id"];
	const find = async (q: string, filter = "&currency=KES") =>
		(
			(await ask("GET", `intents?is_due=true&q=${encodeURIComponent(q)}${filter}`)).body["items"] as object[]
		).map((intent) => (intent as { id: string }).id);
	for (const q of [
		String(made.body["account_code"]).toLowerCase(),
		order_id.slice(0, 12),
		"irs 100%",
		"12 345.5",
	])
		expect([q, await find(q)]).toEqual([q, [id]]);
	for (const [q, filter] of [
		["12345.51", "&currency=KES"],
		["12345.5", ""],
		["12345.5", "&currency=USD"],
		["chairs_100", "&currency=KES"],
	] as const)
		expect([q, await find(q, filter)]).toEqual([q, []]);
	await cancel(String(id));
	expect(await find(order_id)).toEqual([id]);
	await receive(till.database.db, till.tenants.uhai.id, { intentId: String(id), amountMinor: 1_234_550n });
	expect(await find(order_id)).toEqual([]);
});

test("a person who may see only their own sees and pays what they are the customer of", async () => {
	const { uhai } = till.tenants;
	const user_id = randomUUID();
	const token = till.token(uhai, "customer", { sub: user_id });
	const own = await idOf({ customer: { user_id } });
	const other = await idOf();
	expect((await ask("GET", `intents/${own}`, { token })).status).toBe(200);
	expect(codeOf(await ask("GET", `intents/${other}`, { token }))).toEqual([404, "intent_not_found"]);
	expect((await ask("GET", "intents", { token })).body["items"]).toMatchObject([{ id: own }]);
	const phone = newPhone("is silent");
	expect(codeOf(await push(other, phone, { token }))).toEqual([404, "intent_not_found"]);
	expect((await push(own, phone, { token })).status).toBe(202);
});

test("an intent is paid by a prompt: the tenant's shortcode received it, and the event says so", async () => {
	const { kahawa } = till.tenants;
	const [operation_id, caller] = [randomUUID(), { tenant: kahawa }];
	const id = await idOf({ operation_id, source_service: "ordering", order_id: "9" }, caller);
	const asked = await push(id, newPhone("accepts"), caller);
	expect(asked).toMatchObject({ status: 202, body: { status: "awaiting" } });
	await becomes(id, "succeeded", caller);
	expect(await till.balances(kahawa)).toMatchObject({ "tenant.mobile": 150_000 });
	expect(await till.published("treasury.payment.succeeded", kahawa)).toMatchObject([
		{ operation_id, amount_minor: 150_000, source_service: "ordering", order_id: "9", intent_id: id },
	]);
	expect(codeOf(await cancel(id, caller))).toEqual([409, "intent_closed"]);
	expect(codeOf(await push(id, newPhone("accepts"), caller))).toEqual([...[409, "intent_closed"]]);
});

test("an intent is paid at the page of the card gateway, which is opened once", async () => {
	const id = await idOf({ channels: ["card"], customer: { email: "payer@example.com" } });
	const open = () => ask("POST", `intents/${id}/checkout`, { body: {} });
	const opened = await open();
	expect(opened).toMatchObject({ status: 201, body: { reference: expect.stringMatching(/^pay-/) } });
	expect(await open()).toMatchObject({ status: 200, body: opened.body });
	const path = `/_control/checkouts/${opened.body["access_code"]}`;
	await till.cards("POST", path, { action: "pay", channel: "card" });
	await becomes(id, "succeeded");
	expect(await show(id)).toMatchObject({ received_minor: 150_000, payments: [{ amount_minor: 150_000 }] });
});

test("an intent is cancelled once no payer is being asked: the gateway is asked first", async () => {
	const id = await idOf();
	const phone = newPhone("is silent");
	await push(id, phone);
	expect(codeOf(await cancel(id))).toEqual([409, "attempt_live"]);
	await till.sandbox("POST", `/_control/phones/${phone}/cancel`);
	await expect.poll(async () => (await cancel(id)).status).toBe(200);
	expect(await show(id)).toMatchObject({
		...{ status: "cancelled", attempts: [{ status: "cancelled" }] },
	});
	expect(await till.published("treasury.intent.changed", till.tenants.uhai)).toContainEqual(
		expect.objectContaining({ intent_id: id, status: "cancelled" }),
	);
});

/** The gateway drops what it sends about a prompt, so that only a question finds it out. */
const loseCallbacks = (isOn: boolean) =>
	till.sandbox("PUT", "/_control/faults", isOn ? [{ operation: "push", fault: "drop", count: 1 }] : []);
const refresh = (id: string, caller: Caller = {}) => ask("POST", `intents/${id}/refresh`, caller);

test("a person who waits has the gateway asked at once, every five seconds at most", async () => {
	const id = await idOf();
	await loseCallbacks(true);
	const phone = newPhone("is silent");
	await push(id, phone);
	const started = till.clock.now ?? new Date();
	till.clock.now = started;
	const first = await refresh(id);
	expect([first.status, first.body["status"]]).toEqual([200, "processing"]);
	await till.sandbox("POST", `/_control/phones/${phone}/accept`);
	till.clock.now = new Date(started.getTime() + 4_999);
	expect((await refresh(id)).body["status"]).toBe("processing");
	till.clock.now = new Date(started.getTime() + 5_000);
	expect((await refresh(id)).body).toMatchObject({ status: "succeeded", received_minor: 150_000 });
	expect(codeOf(await refresh(id))).toEqual([409, "intent_closed"]);
	await loseCallbacks(false);
});

test("a person who may see only their own has the gateway asked about what they are the customer of", async () => {
	const user_id = randomUUID();
	const token = till.token(till.tenants.uhai, "customer", { sub: user_id });
	expect((await refresh(await idOf({ customer: { user_id } }), { token })).status).toBe(200);
	expect(codeOf(await refresh(await idOf(), { token }))).toEqual([404, "intent_not_found"]);
});

const image = { status: 200, body: { png_base64: expect.stringMatching(/^iVBORw0KGgo/) } };
const draw = (id: string, body: object = {}, caller: Caller = {}) =>
	ask("POST", `intents/${id}/qr`, { ...caller, body });
const drawAny = (body: object, caller: Caller = {}) =>
	ask("POST", "qr", { ...caller, body: { reference: "TABLE-4", trx_code: "PB", ...body } });

test.each(["uhai", "kahawa"] as const)(
	"an intent of %s, and a counter, have a QR code that pays them",
	async (name) => {
		const caller = { tenant: till.tenants[name] };
		expect(await draw(await idOf({}, caller), {}, caller)).toMatchObject(image);
		for (const trx_code of ["PB", "BG", "WA", "SB", "SM"])
			expect(await drawAny({ trx_code, size: 150 }, caller)).toMatchObject(image);
		expect(await drawAny({ amount_minor: 20_000 }, caller)).toMatchObject(image);
	},
);

test.each([
	[{ amount_minor: 20_050 }, 400, "amount_not_whole"],
	[{ amount_minor: 25_000_100 }, 400, "amount_out_of_range"],
	[{ trx_code: "XX" }, 400, "invalid_input"],
	[{ reference: "a table at the window" }, 400, "invalid_input"],
	[{ size: 5_000 }, 400, "invalid_input"],
])("a QR code with %o is refused", async (change, status, code) => {
	expect(codeOf(await drawAny(change))).toEqual([status, code]);
});

test("a QR code needs a shortcode, and an intent that is open and of whole shillings", async () => {
	const { duka, lango } = till.tenants;
	const withoutShortcode = { tenant: duka, token: till.token(lango, "superuser") };
	expect(codeOf(await drawAny({}, withoutShortcode))).toEqual([409, "channel_unavailable"]);
	const closed = await idOf();
	await cancel(closed);
	expect(codeOf(await draw(closed))).toEqual([409, "intent_closed"]);
	const withCents = await idOf({ amount_minor: 150_050, channels: ["card"] });
	expect(codeOf(await draw(withCents))).toEqual([400, "amount_not_whole"]);
	const inDollars = await idOf({ currency: "USD", channels: ["card"] });
	expect(codeOf(await draw(inDollars))).toEqual([409, "channel_unavailable"]);
});

test("a bill of the platform is not found among the tenant's intents", async () => {
	const { uhai } = till.tenants;
	await ensureTenant(till.database.db, uhai.id);
	const { id } = await inTenant(till.database.db, uhai.id, (tx) => addBill(tx, uhai.id));
	expect(codeOf(await ask("GET", `intents/${id}`))).toEqual([404, "intent_not_found"]);
	expect(codeOf(await cancel(id))).toEqual([404, "intent_not_found"]);
	expect(codeOf(await push(id, newPhone("accepts")))).toEqual([404, "intent_not_found"]);
	expect(codeOf(await refresh(id))).toEqual([404, "intent_not_found"]);
	expect(codeOf(await draw(id))).toEqual([404, "intent_not_found"]);
});

/** Whether a phone shows a prompt. */
async function hasPrompt(phone: string): Promise<boolean> {
	const { items } = (await till.sandbox("GET", "/_control/phones")) as {
		items: Array<{ msisdn: string; prompt: unknown }>;
	};
	return items.some(({ msisdn, prompt }) => msisdn === phone && prompt !== null);
}

test("of an intent that cannot be cancelled the gateway is not asked", async () => {
	const { uhai } = till.tenants;
	const bill = await inTenant(till.database.db, uhai.id, (tx) => addBill(tx, uhai.id));
	const phone = newPhone("cancels");
	expect((await ask("POST", `bills/${bill.operationId}/push`, { body: { phone } })).status).toBe(202);
	await till.sandbox("PUT", "/_control/clock", { now: new Date(Date.now() + 10_000).toISOString() });
	await expect.poll(() => hasPrompt(phone)).toBe(false);
	expect(codeOf(await cancel(bill.id))).toEqual([404, "intent_not_found"]);
	const [attempt] = await inTenant(till.database.db, uhai.id, (tx) => listAttempts(tx, [bill.id]));
	expect(attempt?.status).toBe("awaiting");
});

test("what is known of a deleted person is erased in their intents, attempts and receipts, in no others", async () => {
	const { db } = till.database;
	const { id: tenantId } = till.tenants.uhai;
	const payer = (user_id: string) => ({
		customer: { user_id, phone: "0712345678", email: "amina@example.com", name: "Amina" },
	});
	const [deleted, other] = [randomUUID(), randomUUID()];
	const ids = [await idOf(payer(deleted)), await idOf(payer(other))];
	for (const id of ids) {
		expect((await push(id, newPhone("is silent"))).status).toBe(202);
		const receipt = await receive(db, tenantId, { accountRef: "0712345678" });
		const allocated = await ask("POST", `receipts/${receipt.id}/allocate`, { body: { intent_id: id } });
		expect(allocated.status).toBe(200);
	}
	const stored = (id: string) =>
		inTenant(db, tenantId, async (tx) => {
			const [row] = await tx.query<{ customer: object; phone: string; account: string }>(
				`select i.customer, a.phone, r.account_ref as account from intents i join attempts a on a.tenant_id = i.tenant_id and a.intent_id = i.id
				   join payments p on p.tenant_id = i.tenant_id and p.intent_id = i.id join receipts r on r.tenant_id = p.tenant_id and r.id = p.receipt_id where i.id = $1`,
				[id],
			);
			return row;
		});
	const [erased = "", kept = ""] = ids;
	const before = await stored(kept);
	const event = testEvent(authUserDeleted, { subject: deleted, data: { user_id: deleted, version: 2 } });
	await till.transport.publish(event);
	await expect.poll(() => stored(erased)).toEqual({ customer: {}, phone: null, account: null });
	expect(await stored(kept)).toEqual(before);
	expect(before).toMatchObject({ customer: { name: "Amina" }, account: "0712345678" });
});
