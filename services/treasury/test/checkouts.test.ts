import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { addBill } from "./add-bill.ts";
import { openTill } from "./till.ts";

const till = setUp(openTill);
afterEach(async () => {
	till.clock.now = undefined;
	await till.cards("PUT", "/_control/faults", []);
});

/** A bill of 2,500.00 shillings of a tenant. */
async function newBill(tenant = till.tenants.uhai): Promise<string> {
	const bill = await inTenant(till.database.db, tenant.id, (tx) => addBill(tx, tenant.id));
	return bill.operationId;
}

const open = (
	operationId: string,
	body: object = { email: "amina@example.com" },
	tenant = till.tenants.uhai,
) =>
	till.call({
		method: "POST",
		url: `/api/v1/${tenant.slug}/treasury/bills/${operationId}/checkout`,
		token: till.token(tenant, "admin"),
		body,
	});

/** The bill as it is stored: the times of some tests are beyond the life of a token. */
async function stored(operationId: string, tenant = till.tenants.uhai) {
	const [row] = await inTenant(till.database.db, tenant.id, (tx) =>
		tx.query<{ status: string; received: number; attempts: string[]; channels: string[] }>(
			`select i.status, i.received_minor::int as received,
			   array(select a.status from attempts a where a.tenant_id = $2 and a.intent_id = i.id order by a.seq) as attempts,
			   array(select a.channel from attempts a where a.tenant_id = $2 and a.intent_id = i.id order by a.seq) as channels
			  from intents i where i.tenant_id = $2 and i.operation_id = $1`,
			[operationId, tenant.id],
		),
	);
	return row;
}

/** Does what a payer does at the page of the gateway, whose event does not arrive. */
async function act(accessCode: unknown, action: string): Promise<void> {
	const rule = { operation: "charge.success", fault: "drop", count: 1 };
	await till.cards("PUT", "/_control/faults", action === "pay" ? [rule] : []);
	await till.cards("POST", `/_control/checkouts/${accessCode}`, { action, channel: "card" });
}

test("a bill is paid at the page of the card gateway, and found out although its event is lost", async () => {
	const operationId = await newBill();
	const opened = await open(operationId);
	expect(opened).toMatchObject({
		status: 201,
		body: { reference: expect.stringMatching(/^pay-[0-9a-f]{32}$/), access_code: expect.any(String) },
	});
	expect(opened.body["authorization_url"]).toContain(till.cardGateway.url);
	expect(await stored(operationId)).toMatchObject({ status: "processing", attempts: ["awaiting"] });
	await act(opened.body["access_code"], "pay");
	await till.wait(61);
	expect(await stored(operationId)).toEqual({
		...{ status: "succeeded", received: 250_000, attempts: ["succeeded"], channels: ["card"] },
	});
	expect(await till.balances(till.tenants.uhai)).toMatchObject({ unapplied: 0 });
});

test("while a checkout waits for its payer it is returned again", async () => {
	const operationId = await newBill();
	const first = await open(operationId);
	const again = await open(operationId, { email: "other@example.com" });
	expect(again).toEqual({ status: 200, body: first.body });
});

test("two requests at once open one checkout", async () => {
	const operationId = await newBill();
	const answers = await Promise.all([open(operationId), open(operationId)]);
	const others = answers.filter(({ status }) => status !== 201);
	expect(others).toHaveLength(1);
	expect([200, 409]).toContain(others[0]?.status);
	if (others[0]?.status === 409) expect(others[0].body["code"]).toBe("checkout_starting");
	expect((await stored(operationId))?.attempts).toEqual(["awaiting"]);
});

test("the gateway is given what is due, the channels, and what names the order", async () => {
	const operationId = await newBill();
	const { body } = await open(operationId, { email: "amina@example.com", channels: ["card"] });
	const response = await fetch(`${till.cardGateway.url}/transaction/verify/${body["reference"]}`, {
		headers: { authorization: "Bearer sk_test_lango_sandbox" },
	});
	expect(((await response.json()) as { data: unknown }).data).toMatchObject({
		...{ amount: 250_000, currency: "KES", customer: { email: "amina@example.com" } },
		metadata: { tenant_id: till.tenants.uhai.id, source_service: "subscriptions", order_id: operationId },
	});
});

test("a payer's phone and its provider, by the code of the gateway's list of banks, are given to the gateway", async () => {
	const intent = await till.call({
		...{
			method: "POST",
			url: "/api/v1/uhai/treasury/intents",
			token: till.token(till.tenants.uhai, "admin"),
		},
		body: { amount_minor: 150_000, currency: "KES", description: "Invoice 17", channels: ["mobile_money"] },
	});
	const payPage = `/api/v1/pay/${String(intent.body["pay_url"]).split("/").at(-1)}/checkout`;
	const banks = await till.call({
		...{ method: "GET", url: "/api/v1/uhai/treasury/banks?limit=100" },
		token: till.token(till.tenants.uhai, "admin"),
	});
	const { items } = banks.body as { items: Array<{ code: string; type: string }> };
	const provider = items.find(({ type }) => type === "mobile_money")?.code;
	const body = { email: "amina@example.com", mobile_money: { phone: "0712 345 678", provider } };
	const opened = await till.call({ method: "POST", url: payPage, body });
	const page = await (await fetch(String(opened.body["authorization_url"]))).text();
	expect(page).toContain('value="254712345678"');
	expect(page).toContain(`Provider: ${provider}`);
});

const mobileMoney = { phone: "0712 345 678", provider: "PESA" };
const refusals = {
	"for a phone that is not Kenyan": [
		{ email: "a@example.com", mobile_money: { ...mobileMoney, phone: "0612 345 678" } },
		400,
		"phone_invalid",
	],
	"for a phone without its provider": [
		{ email: "a@example.com", mobile_money: { phone: mobileMoney.phone } },
		400,
		"invalid_input",
	],
	"for a phone where mobile money is not admitted": [
		{ email: "a@example.com", mobile_money: mobileMoney },
		409,
		"channel_unavailable",
	],
	"without an e-mail address": [{}, 400, "email_required"],
	"with an e-mail address without a domain": [{ email: "amina" }, 400, "invalid_input"],
	"with an unknown channel": [{ email: "a@example.com", channels: ["cash"] }, 400, "invalid_input"],
	"by a channel that the bill does not admit": [
		{ email: "a@example.com", channels: ["ussd"] },
		409,
		"channel_unavailable",
	],
} as const;
test.each(Object.entries(refusals))("a checkout %s is refused", async (_what, [body, ...expected]) => {
	const answer = await open(await newBill(), body);
	expect([answer.status, answer.body["code"]]).toEqual(expected);
});

test("a bill that is paid or unknown opens no checkout", async () => {
	const operationId = await newBill();
	await act((await open(operationId)).body["access_code"], "pay");
	await till.wait(61);
	till.clock.now = undefined;
	const answers = [await open(operationId), await open(randomUUID())];
	expect(answers.map(({ status, body }) => [status, body["code"]])).toEqual([
		[409, "intent_closed"],
		[404, "intent_not_found"],
	]);
});

test("while collections are halted no checkout is opened", async () => {
	const halt = (is_on: boolean) =>
		till.call({
			...{ method: "PUT", url: "/api/v1/platform/halts" },
			token: till.token(till.tenants.lango, "superuser"),
			body: { scope: "collections", is_on, because: "the gateway is being tested" },
		});
	await halt(true);
	const refused = await open(await newBill());
	await halt(false);
	expect([refused.status, refused.body["code"]]).toEqual([503, "halted"]);
});

test("a gateway that refuses or does not answer is not asked to collect: the next request opens a new checkout", async () => {
	const operationId = await newBill();
	await till.cards("PUT", "/_control/faults", [
		{ operation: "initialize", fault: "reset_after_commit", count: 1 },
	]);
	const lost = await open(operationId);
	expect([lost.status, lost.body["code"]]).toEqual([503, "gateway_unavailable"]);
	expect((await stored(operationId))?.attempts).toEqual(["unknown"]);
	expect((await open(operationId)).status).toBe(201);
	expect((await stored(operationId))?.attempts).toEqual(["unknown", "awaiting"]);
});

test("a checkout that is not paid stays open until its time is over, then it has expired and the bill is open", async () => {
	const operationId = await newBill();
	const { body } = await open(operationId);
	for (const [seconds, status] of [
		[61, "awaiting"],
		[3_600, "awaiting"],
		[83_000, "expired"],
	] as const) {
		await till.wait(seconds);
		expect((await stored(operationId))?.attempts).toEqual([status]);
	}
	expect(body["access_code"]).toEqual(expect.any(String));
	expect(await stored(operationId)).toMatchObject({ status: "requires_payment", received: 0 });
});

test("a charge that the gateway declined fails, and one that succeeds afterwards still pays", async () => {
	const operationId = await newBill();
	const { body } = await open(operationId);
	await act(body["access_code"], "decline");
	await till.wait(61);
	expect(await stored(operationId)).toMatchObject({ status: "requires_payment", attempts: ["failed"] });
	till.clock.now = undefined;
	await till.cards("POST", `/_control/checkouts/${body["access_code"]}`, { action: "pay", channel: "card" });
	await expect
		.poll(async () => {
			await till.service.jobs.runDue();
			return stored(operationId);
		})
		.toMatchObject({ status: "succeeded", attempts: ["succeeded"] });
});
