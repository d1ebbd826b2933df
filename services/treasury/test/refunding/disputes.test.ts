import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { findDispute } from "../../src/disputes/dispute.store.ts";
import { openTill } from "../till.ts";
import { loseDisputeEvents, openCards } from "./card-payments.ts";

const till = setUp(openTill);
const cards = () => openCards(till);
afterEach(async () => {
	till.clock.now = undefined;
	await till.cards("PUT", "/_control/faults", []);
});

const money = async () => {
	const found = await till.balances(till.tenants.uhai);
	const of = (code: string) => found[`tenant.${code}`] ?? 0;
	return { pending: of("pending"), available: of("available"), disputed: of("disputed"), debt: of("debt") };
};

/** Raises a chargeback of a payment at the sandbox, and waits until it is here. */
async function dispute(reference: string, more: object = {}) {
	const raised = await till.cards("POST", "/_control/dispute", { reference, ...more });
	const find = async () => {
		await till.service.jobs.runDue();
		const { body } = await cards().ask("GET", "/disputes");
		return (body["items"] as Array<Record<string, unknown>>)[0];
	};
	await expect.poll(find).toMatchObject({ status: "open" });
	const found = await find();
	return { gatewayId: String(raised["id"]), id: String(found?.["id"]), shown: found };
}

/** As it is stored: the times of some tests are beyond the life of a token. */
async function stored(id: string) {
	await till.service.jobs.runDue();
	const found = await inTenant(till.database.db, till.tenants.uhai.id, (tx) => findDispute(tx, id));
	return found?.status;
}

const becomes = (id: string, status: string) => expect.poll(() => stored(id)).toBe(status);

const decide = (gatewayId: string, resolution: string, more: object = {}) =>
	till.cards("POST", `/_control/disputes/${gatewayId}/resolve`, { resolution, ...more });

test("the money of a disputed payment is held, no refund of it is taken, and it is given back when the dispute is won", async () => {
	const { paymentId, reference, intentId } = await cards().pay();
	const before = await money();
	const { id, gatewayId, shown } = await dispute(reference, { due_in_hours: 25 });
	expect(shown).toMatchObject({ payment_id: paymentId, amount_minor: 100_000, category: "chargeback" });
	expect(shown?.["due_at"]).not.toBeNull();
	expect(await money()).toEqual({ ...before, pending: before.pending - 100_000, disputed: 100_000 });
	expect(await cards().refund({ payment_id: paymentId })).toMatchObject({
		...{ status: 409, body: { code: "payment_disputed" } },
	});
	await till.wait(2 * 3_600);
	await becomes(id, "reminded");
	await decide(gatewayId, "declined");
	await becomes(id, "won");
	expect(await money()).toEqual(before);
	expect(await cards().intent(intentId)).toMatchObject({ refunded_minor: 0 });
});

test("a dispute that is lost takes the money out of the books, and the payment counts as returned", async () => {
	const { reference, intentId } = await cards().pay();
	const before = await money();
	const { id, gatewayId } = await dispute(reference);
	await decide(gatewayId, "merchant-accepted");
	await becomes(id, "lost");
	expect(await money()).toEqual({ ...before, pending: before.pending - 100_000 });
	expect(await cards().intent(intentId)).toMatchObject({ refunded_minor: 100_000 });
	const changes = (await till.published("treasury.dispute.changed", till.tenants.uhai)).filter(
		(one) => one["dispute_id"] === id,
	);
	expect(changes.map((one) => [one["status"], one["version"]])).toEqual([
		["open", 1],
		["lost", 2],
	]);
});

test("of a dispute that is lost in part the payer gets that part, and the rest is given back", async () => {
	const { reference, intentId } = await cards().pay();
	const before = await money();
	const { id, gatewayId } = await dispute(reference);
	await decide(gatewayId, "merchant-accepted", { amount: 30_000 });
	await becomes(id, "lost");
	expect(await money()).toEqual({ ...before, pending: before.pending - 30_000 });
	expect(await cards().intent(intentId)).toMatchObject({ refunded_minor: 30_000 });
});

test("a dispute of a part that takes more in the end is left to the platform owner", async () => {
	const { reference, intentId } = await cards().pay();
	const before = await money();
	const { id, gatewayId } = await dispute(reference, { amount: 20_000 });
	await decide(gatewayId, "merchant-accepted", { amount: 30_000 });
	await becomes(id, "lost");
	expect(await money()).toEqual({ ...before, pending: before.pending - 20_000 });
	expect(await cards().intent(intentId)).toMatchObject({ refunded_minor: 20_000 });
	const { body } = await till.call({
		...{ method: "GET", url: "/api/v1/platform/reconciliation/exceptions?class=amount" },
		token: till.token(till.tenants.lango, "superuser"),
	});
	expect(body["items"]).toMatchObject([{ subject: `dispute ${id}`, amount_minor: 10_000, proposed: null }]);
});

test("the tenant notes what it says about a dispute; one that is not there is refused", async () => {
	const { reference } = await cards().pay();
	const { id, gatewayId } = await dispute(reference, { amount: 20_000 });
	const note = (of: string) =>
		cards().ask("PUT", `/disputes/${of}/note`, { body: { text: "It was delivered" } });
	expect((await note(id)).body).toMatchObject({ note: "It was delivered", amount_minor: 20_000 });
	for (const answer of [
		await note(crypto.randomUUID()),
		await cards().ask("GET", `/disputes/${crypto.randomUUID()}`),
	])
		expect(answer).toMatchObject({ status: 404, body: { code: "dispute_not_found" } });
	await decide(gatewayId, "declined");
	await becomes(id, "won");
});

const asOperator = (path: string, token = till.token(till.tenants.lango, "superuser")) =>
	till.call({ method: "GET", url: `/api/v1/platform${path}`, token });

const exceptionsOf = (subject: string) =>
	till.database.db.query("select class, state from exceptions where subject = $1", [subject]);

test("the platform owner sees the disputes of all tenants with their notes, and no other tenant does; one that is overdue raises an exception, once", async () => {
	const { reference } = await cards().pay();
	const { id, gatewayId } = await dispute(reference, { due_in_hours: 25 });
	const text = "The food was delivered";
	await cards().ask("PUT", `/disputes/${id}/note`, { body: { text } });
	const { status, body } = await asOperator("/disputes?status=open&limit=1");
	expect(status).toBe(200);
	expect(body["items"]).toMatchObject([
		{ id, gateway_id: gatewayId, tenant_id: till.tenants.uhai.id, note: text, status: "open" },
	]);
	expect(await asOperator("/disputes", till.token(till.tenants.uhai, "admin"))).toMatchObject({
		status: 403,
	});
	const raised = () => exceptionsOf(`dispute ${id}`);
	const check = async (hours: number) => {
		await till.wait(hours * 3_600);
		await till.service.jobs.run("disputes.check.sweep");
		await till.service.jobs.runDue();
	};
	await loseDisputeEvents(till, [{ operation: "fetch_dispute", fault: "maintenance" }]);
	await check(24);
	expect(await raised()).toEqual([]);
	// The gateway ends it then, and does not answer. The clock of the sandbox may be some hours ahead.
	await check(8);
	await check(1);
	expect(await raised()).toEqual([{ class: "status", state: "open" }]);
});

const [amina, brian] = [randomUUID(), randomUUID()];
/** An operator says how a dispute ended. */
const say = (id: string, as: string, sub: string = amina) =>
	till.call({
		...{ method: "POST", url: `/api/v1/platform/disputes/${id}/resolve` },
		token: till.token(till.tenants.lango, "superuser", { sub }),
		body: { as, because: "The bank says so." },
	});
const change = (id: string, set: string) =>
	inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query(`update disputes set ${set} where id = $1`, [id]),
	);

test("how a dispute ended whose event was lost is decided by two operators who say the same, and not before it is overdue, which closes its exception; what the gateway says otherwise later is left to a person", async () => {
	const { reference } = await cards().pay();
	const before = await money();
	const { id, gatewayId } = await dispute(reference);
	expect(await say(id, "lost")).toMatchObject({ status: 409, body: { code: "dispute_not_waiting" } });
	expect(await say(randomUUID(), "lost")).toMatchObject({ status: 404, body: { code: "dispute_not_found" } });
	await change(id, "due_at = now() - interval '1 hour'");
	// The gateway would say that it is due later.
	await till.cards("PUT", "/_control/faults", [{ operation: "fetch_dispute", fault: "maintenance" }]);
	await till.service.jobs.run("disputes.check.sweep");
	await till.service.jobs.runDue();
	expect(await exceptionsOf(`dispute ${id}`)).toEqual([{ class: "status", state: "open" }]);
	expect(await say(id, "won")).toMatchObject({ status: 200, body: { status: "open", proposed_as: "won" } });
	expect(await say(id, "won")).toMatchObject({ status: 403, body: { code: "resolver_is_proposer" } });
	const other = { status: "open", proposed_as: "lost" };
	expect(await say(id, "lost", brian)).toMatchObject({ status: 200, body: other });
	const held = { pending: before.pending - 100_000, disputed: before.disputed + 100_000 };
	expect(await money()).toEqual({ ...before, ...held });
	expect(await say(id, "lost")).toMatchObject({ status: 200, body: { status: "lost", resolution: null } });
	const after = { ...before, pending: before.pending - 100_000 };
	expect(await money()).toEqual(after);
	expect(await exceptionsOf(`dispute ${id}`)).toEqual([{ class: "status", state: "closed" }]);
	expect(await say(id, "lost", brian)).toMatchObject({ status: 409, body: { code: "dispute_not_waiting" } });
	await till.cards("PUT", "/_control/faults", []);
	await decide(gatewayId, "declined");
	await expect
		.poll(async () => {
			await till.service.jobs.runDue();
			return exceptionsOf(`dispute ${id} won`);
		})
		.toEqual([{ class: "status", state: "open" }]);
	expect(await stored(id)).toBe("lost");
	expect(await money()).toEqual(after);
});

test("the word of the first operator about a dispute counts for a day; a dispute that two say was won gives its money back", async () => {
	const { reference } = await cards().pay();
	const before = await money();
	const { id } = await dispute(reference);
	await change(id, "due_at = now() - interval '1 hour'");
	await say(id, "won");
	await change(id, "proposed_at = now() - interval '25 hours'");
	expect(await say(id, "won", brian)).toMatchObject({ status: 200, body: { status: "open" } });
	expect(await say(id, "won")).toMatchObject({ status: 200, body: { status: "won" } });
	expect(await money()).toEqual(before);
});
