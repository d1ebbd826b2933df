import {
	type PublicTenant,
	subscriptionBillingRequested,
	subscriptionBillingWithdrawn,
} from "@lango/contracts";
import { listDeadLetters } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { newOperation, newPhone, openTill } from "./till.ts";

const till = setUp(openTill);

type Asking = {
	operationId?: string;
	amountMinor?: number;
	kind?: "checkout" | "change" | "renewal" | "overage";
	attempt?: number;
	at?: Date;
};

/** Another service asks a tenant to pay. */
async function ask(tenant: PublicTenant, asking: Asking = {}): Promise<string> {
	const { operationId = newOperation(), amountMinor = 250_000, kind = "checkout", attempt = 1, at } = asking;
	const data = {
		...{ operation_id: operationId, tenant_id: tenant.id, kind, attempt },
		...{ amount_minor: amountMinor, currency: "KES" },
		lines: [{ what: "plan" as const, code: "GROWTH", amount_minor: amountMinor }],
	};
	const time = at === undefined ? {} : { at };
	await till.transport.publish(
		testEvent(subscriptionBillingRequested, { subject: operationId, tenant, data, ...time }),
	);
	await applied();
	return operationId;
}

async function withdraw(tenant: PublicTenant, operationId: string): Promise<void> {
	const data = { operation_id: operationId, tenant_id: tenant.id, because: "replaced" };
	await till.transport.publish(
		testEvent(subscriptionBillingWithdrawn, { subject: operationId, tenant, data }),
	);
	await applied();
}

/** Waits until every delivered event is applied, or failed once. */
async function applied(): Promise<void> {
	await expect
		.poll(async () => (await till.database.db.query("select 1 from deliveries where attempts = 0")).length, {
			timeout: 10_000,
		})
		.toBe(0);
}

const bill = (tenant: PublicTenant, operationId: string) =>
	till.call({
		method: "GET",
		url: `/api/v1/${tenant.slug}/treasury/bills/${operationId}`,
		token: till.token(tenant, "admin"),
	});
const statusOf = async (tenant: PublicTenant, operationId: string) =>
	(await bill(tenant, operationId)).body["status"];

/** The credit that the list of bills shows. */
async function creditOf(tenant: PublicTenant): Promise<unknown> {
	const url = `/api/v1/${tenant.slug}/treasury/bills?limit=1`;
	return (await till.call({ method: "GET", url, token: till.token(tenant, "admin") })).body["unapplied"];
}

const pay = (tenant: PublicTenant, operationId: string, phone: string) =>
	till.call({
		method: "POST",
		url: `/api/v1/${tenant.slug}/treasury/bills/${operationId}/push`,
		token: till.token(tenant, "admin"),
		body: { phone },
	});

/** Waits until another prompt has moved money at the gateway, and lets the service ask for it. */
async function payAndWait(tenant: PublicTenant, operationId: string): Promise<void> {
	const before = await movements();
	expect((await pay(tenant, operationId, newPhone("accepts"))).status).toBe(202);
	await collected(before + 1);
}

/** Lets time pass until prompts have moved money at the gateway, and the service has asked for it. */
async function collected(count: number): Promise<void> {
	await till.wait(10);
	await expect.poll(movements).toBe(count);
	await till.wait(45);
}

/** How many phones show a prompt. */
async function openPrompts(): Promise<number> {
	const state = JSON.stringify(await till.sandbox("GET", "/_control/phones"));
	return state.match(/"prompt":\{/g)?.length ?? 0;
}

async function movements(): Promise<number> {
	const { movements: all } = (await till.sandbox("GET", "/_control/ledger")) as {
		movements: Array<{ kind: string }>;
	};
	return all.filter(({ kind }) => kind === "push").length;
}

test("a bill is paid by a prompt on a phone: the intent, the ledger and the event say so", async () => {
	const { uhai } = till.tenants;
	const operationId = await ask(uhai);
	expect((await till.published("treasury.payment.required", uhai))[0]).toMatchObject({
		...{ operation_id: operationId, amount_minor: 250_000 },
		pay_url: expect.stringMatching(/^https:\/\/console\.lango\.example\/pay\/[\w-]{27}$/),
	});
	await payAndWait(uhai, operationId);
	expect((await bill(uhai, operationId)).body).toMatchObject({
		...{ status: "succeeded", received_minor: 250_000 },
		attempts: [{ status: "succeeded", phone_masked: expect.stringMatching(/^2547•••••001$/) }],
		payments: [{ amount_minor: 250_000 }],
	});
	const [paid] = await till.published("treasury.payment.succeeded", uhai);
	expect(paid).toMatchObject({ operation_id: operationId, amount_minor: 250_000, currency: "KES" });
	expect(await till.balances(uhai)).toEqual({ unapplied: 0 });
});

test("a prompt that is cancelled leaves the bill open, and the phone can be asked again for the same amount after two minutes", async () => {
	const { uhai } = till.tenants;
	const operationId = await ask(uhai);
	const phone = newPhone("cancels");
	await pay(uhai, operationId, phone);
	await till.wait(10);
	await expect.poll(openPrompts).toBe(0);
	await till.wait(30);
	expect(await statusOf(uhai, operationId)).toBe("requires_payment");
	expect((await bill(uhai, operationId)).body["attempts"]).toMatchObject([
		{ status: "cancelled", failure_code: "1032" },
	]);
	const soon = await pay(uhai, operationId, phone);
	expect([soon.status, soon.body["code"]]).toEqual([409, "prompt_too_soon"]);
	expect(soon.body["retry_after_seconds"]).toBeGreaterThan(60);
	await till.wait(Number(soon.body["retry_after_seconds"]));
	expect((await pay(uhai, operationId, phone)).status).toBe(202);
	expect(await till.published("treasury.payment.failed", uhai)).toEqual([]);
});

test("a phone is asked once at a time, and the refusal says when it can be asked again", async () => {
	const { uhai } = till.tenants;
	const operationId = await ask(uhai);
	const phone = newPhone("is silent");
	expect((await pay(uhai, operationId, phone)).status).toBe(202);
	const again = await pay(uhai, operationId, phone);
	expect([again.status, again.body["code"]]).toEqual([409, "prompt_live"]);
	expect(again.body["retry_after_seconds"]).toBeGreaterThan(100);
});

test("a phone can be asked for another amount at once, and after a prompt that the gateway did not take for the same one", async () => {
	const { uhai } = till.tenants;
	const phone = newPhone("cancels");
	const refused = await ask(uhai, { amountMinor: 71_000 });
	const other = await ask(uhai, { kind: "overage", amountMinor: 72_000 });
	await till.sandbox("PUT", "/_control/faults", [{ operation: "push", fault: "spike_arrest", count: 1 }]);
	expect((await pay(uhai, refused, phone)).body["status"]).toBe("rejected");
	await till.sandbox("PUT", "/_control/faults", []);
	expect((await pay(uhai, refused, phone)).body["status"]).toBe("awaiting");
	await till.wait(10);
	const askOther = async () => {
		await till.wait(30);
		return (await pay(uhai, other, phone)).status;
	};
	await expect.poll(askOther).toBe(202);
});

test("the rights of prompts that have ended are removed", async () => {
	const count = async () => (await till.database.db.query("select 1 from prompt_guards")).length;
	expect(await count()).toBeGreaterThan(0);
	await till.wait(121);
	await till.service.jobs.run("prompts.purge");
	expect(await count()).toBe(0);
});

test.each([
	["0612345678", 400, "phone_invalid"],
	["", 400, "invalid_input"],
])("the phone %o is refused", async (phone, status, code) => {
	const { uhai } = till.tenants;
	const answer = await pay(uhai, await ask(uhai), phone);
	expect([answer.status, answer.body["code"]]).toEqual([status, code]);
});

test("a bill that is paid or unknown cannot be paid", async () => {
	const { kahawa } = till.tenants;
	const operationId = await ask(kahawa);
	await payAndWait(kahawa, operationId);
	const answers = [
		await pay(kahawa, operationId, "0712345678"),
		await pay(kahawa, newOperation(), "0712345678"),
	];
	expect(answers.map(({ status, body }) => [status, body["code"]])).toEqual([
		[409, "intent_closed"],
		[404, "intent_not_found"],
	]);
});

test("a tenant whose subscription has expired can see and pay its bill", async () => {
	const { duka } = till.tenants;
	const operationId = await ask(duka);
	await payAndWait(duka, operationId);
	expect(await statusOf(duka, operationId)).toBe("succeeded");
});

test("a prompt asks for whole units: what is over stays unapplied, and lowers the next prompt", async () => {
	const { duka } = till.tenants;
	const first = await ask(duka, { amountMinor: 100_050 });
	await payAndWait(duka, first);
	expect((await bill(duka, first)).body["attempts"]).toMatchObject([{ amount_minor: 100_100 }]);
	expect(await till.balances(duka)).toEqual({ unapplied: 50 });
	const second = await ask(duka, { amountMinor: 200_050 });
	await payAndWait(duka, second);
	expect((await bill(duka, second)).body["attempts"]).toMatchObject([{ amount_minor: 200_000 }]);
	expect(await till.balances(duka)).toEqual({ unapplied: 0 });
});

test("money that comes for a withdrawn bill stays unapplied, and pays the next one at once", async () => {
	const { kahawa } = till.tenants;
	const first = await ask(kahawa);
	const before = await movements();
	await pay(kahawa, first, newPhone("accepts"));
	await withdraw(kahawa, first);
	expect(await statusOf(kahawa, first)).toBe("cancelled");
	await collected(before + 1);
	expect(await statusOf(kahawa, first)).toBe("cancelled");
	expect(await till.balances(kahawa)).toEqual({ unapplied: 250_000 });
	expect(await creditOf(kahawa)).toEqual([{ currency: "KES", amount_minor: 250_000 }]);
	const second = await ask(kahawa);
	expect(await statusOf(kahawa, second)).toBe("succeeded");
	expect(await till.balances(kahawa)).toEqual({ unapplied: 0 });
	expect(await creditOf(kahawa)).toEqual([]);
});

test("an operation that was withdrawn before it is asked for is cancelled", async () => {
	const { uhai } = till.tenants;
	const operationId = newOperation();
	await withdraw(uhai, operationId);
	await ask(uhai, { operationId });
	expect(await statusOf(uhai, operationId)).toBe("cancelled");
});

test("withdrawn operations are removed after 90 days", async () => {
	const { kahawa } = till.tenants;
	await withdraw(kahawa, newOperation());
	const count = async () => {
		const [row] = await inTenant(till.database.db, kahawa.id, (tx) =>
			tx.query<{ count: string }>("select count(*) from withdrawn_operations"),
		);
		return Number(row?.count);
	};
	await till.service.jobs.run("withdrawn.purge");
	expect(await count()).toBeGreaterThan(0);
	till.clock.now = new Date(Date.now() + 91 * 86_400_000);
	await till.service.jobs.run("withdrawn.purge");
	expect(await count()).toBe(0);
	till.clock.now = undefined;
});

test("of two operations of a subscription the one asked for last counts, in whatever order they come", async () => {
	const { uhai } = till.tenants;
	const [early, late] = [new Date("2030-01-01T08:00:00Z"), new Date("2030-01-01T09:00:00Z")];
	const [older, newer] = [await ask(uhai, { at: early }), await ask(uhai, { at: late })];
	expect([await statusOf(uhai, older), await statusOf(uhai, newer)]).toEqual([
		"cancelled",
		"requires_payment",
	]);
	const delayed = await ask(uhai, { at: early });
	const overage = await ask(uhai, { at: early, kind: "overage" });
	expect([await statusOf(uhai, delayed), await statusOf(uhai, overage)]).toEqual([
		"cancelled",
		"requires_payment",
	]);
});

test("an operation that is asked for again after it was paid is answered again, and not paid again", async () => {
	const { kahawa } = till.tenants;
	const operationId = await ask(kahawa);
	await payAndWait(kahawa, operationId);
	await ask(kahawa, { operationId, attempt: 2 });
	const answers = (await till.published("treasury.payment.succeeded", kahawa)).filter(
		(one) => one["operation_id"] === operationId,
	);
	expect(answers).toHaveLength(2);
	expect(answers[1]).toEqual(answers[0]);
});

test("a renewal without a billing method fails at once, and can still be paid by hand", async () => {
	const { duka } = till.tenants;
	const operationId = await ask(duka, { kind: "renewal", attempt: 3 });
	expect(await till.published("treasury.payment.failed", duka)).toMatchObject([
		{ operation_id: operationId, attempt: 3, reason: "no_billing_method" },
	]);
	await payAndWait(duka, operationId);
	expect(await statusOf(duka, operationId)).toBe("succeeded");
});

test("an operation with another amount is not applied, and the bill stays as it is", async () => {
	const { kahawa } = till.tenants;
	const operationId = await ask(kahawa, { amountMinor: 1_000 });
	await ask(kahawa, { operationId, amountMinor: 2_000, attempt: 2 });
	const { items } = await listDeadLetters(till.database.db, { service: "treasury" });
	expect(items).toMatchObject([{ reason: expect.stringContaining("was asked for with another amount") }]);
	expect((await bill(kahawa, operationId)).body).toMatchObject({
		...{ amount_minor: 1_000, status: "requires_payment" },
	});
});

const method = (tenant: PublicTenant, body?: object) =>
	till.call({
		method: body === undefined ? "GET" : "PUT",
		url: `/api/v1/${tenant.slug}/treasury/billing-method`,
		token: till.token(tenant, "admin"),
		...(body !== undefined && { body }),
	});

test("the billing method is a phone, or nothing; one by card needs a card that paid", async () => {
	const { uhai } = till.tenants;
	const { last_failure } = (await method(uhai)).body;
	const nothing = { email: null, standing_order: null, card_subscription: null, cards: [], last_failure };
	expect((await method(uhai)).body).toEqual({
		...{ ...nothing, kind: "none", collected_by: "none", phone: null, version: 0 },
	});
	const byPhone = { kind: "push", collected_by: "push", phone: "254712345678", version: 1 };
	const stored = { ...nothing, ...byPhone };
	expect(await method(uhai, { kind: "push", phone: "0712 345 678" })).toEqual({ status: 200, body: stored });
	expect((await method(uhai)).body).toEqual(stored);
	const refused = [{ kind: "push" }, { kind: "push", phone: "0612345678" }, { kind: "card_subscription" }];
	const answers = await Promise.all(refused.map((body) => method(uhai, body)));
	expect(answers.map(({ status, body }) => [status, body["code"]])).toEqual([
		[400, "phone_invalid"],
		[400, "phone_invalid"],
		[409, "authorization_missing"],
	]);
});

/** The bill as it is stored: the times of these tests are beyond the life of a token. */
async function stored(tenant: PublicTenant, operationId: string) {
	const [row] = await inTenant(till.database.db, tenant.id, (tx) =>
		tx.query<{ status: string; attempts: string[] }>(
			`select i.status, array(
			     select a.status from attempts a where a.tenant_id = $2 and a.intent_id = i.id order by a.seq) as attempts
			   from intents i where i.tenant_id = $2 and i.operation_id = $1`,
			[operationId, tenant.id],
		),
	);
	return row;
}

test("a renewal is asked for at the phone of the billing method, and is paid without a person", async () => {
	const { kahawa } = till.tenants;
	await method(kahawa, { kind: "push", phone: newPhone("accepts") });
	const before = await movements();
	till.clock.now = new Date("2031-03-03T07:00:00Z");
	const operationId = await ask(kahawa, { kind: "renewal", at: till.clock.now });
	await till.wait(1);
	await collected(before + 1);
	expect(await stored(kahawa, operationId)).toEqual({ status: "succeeded", attempts: ["succeeded"] });
	till.clock.now = undefined;
});

test("a renewal whose payer cancels three prompts has failed, and the bill stays open", async () => {
	const { kahawa } = till.tenants;
	await method(kahawa, { kind: "push", phone: newPhone("cancels") });
	till.clock.now = new Date("2031-04-03T05:30:00Z");
	const operationId = await ask(kahawa, { kind: "renewal", attempt: 2, at: till.clock.now });
	const failures = async () => {
		await till.wait(30);
		await expect.poll(openPrompts).toBe(0);
		await till.wait(1_170);
		const all = await till.published("treasury.payment.failed", kahawa);
		return all.filter((one) => one["operation_id"] === operationId);
	};
	await expect
		.poll(failures, { timeout: 30_000 })
		.toMatchObject([{ attempt: 2, reason: "cancelled_by_payer" }]);
	expect(await stored(kahawa, operationId)).toEqual({
		...{ status: "requires_payment", attempts: ["cancelled", "cancelled", "cancelled"] },
	});
	till.clock.now = undefined;
});

test("while collections are halted no phone is asked, and the refusal says so", async () => {
	const { duka, lango } = till.tenants;
	const operationId = await ask(duka);
	const halt = (is_on: boolean) =>
		till.call({
			...{ method: "PUT", url: "/api/v1/platform/halts", token: till.token(lango, "superuser") },
			body: { scope: "collections", is_on, because: "the gateway is being tested" },
		});
	expect((await halt(true)).status).toBe(200);
	const refused = await pay(duka, operationId, newPhone("accepts"));
	expect([refused.status, refused.body["code"]]).toEqual([503, "halted"]);
	await halt(false);
	expect((await pay(duka, operationId, newPhone("is silent"))).status).toBe(202);
});
