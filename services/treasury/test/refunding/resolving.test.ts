import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { recordQuery } from "../../src/queries/query.store.ts";
import { openTill } from "../till.ts";
import { openCards } from "./card-payments.ts";

const till = setUp(openTill);
const cards = () => openCards(till);
afterEach(() => till.cards("PUT", "/_control/faults", []));

const [amina, brian] = [randomUUID(), randomUUID()];
const resolve = (id: unknown, as: string, sub: string = amina) =>
	till.call({
		...{ method: "POST", url: `/api/v1/platform/refunds/${id}/resolve` },
		...{
			token: till.token(till.tenants.lango, "superuser", { sub }),
			body: { as, because: "The bank says so." },
		},
	});

/** A refund that was sent and of which the gateway knows nothing, so that a person has to decide. */
async function waiting() {
	const { paymentId } = await cards().pay();
	await till.cards("PUT", "/_control/faults", [{ operation: "refund", fault: "drop", count: 1 }]);
	const { body } = await cards().refund({ payment_id: paymentId });
	await cards().becomes(body["id"], "unknown");
	await change(body["id"], "needs_review = true, next_check_at = null");
	return body["id"];
}

const change = (id: unknown, set: string) =>
	inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query(`update refunds set ${set} where id = $1`, [id]),
	);
const refunding = async () => (await till.balances(till.tenants.uhai))["tenant.refunding"] ?? 0;

test("two operators decide that a refund failed, and its money is given back", async () => {
	const id = await waiting();
	const held = await refunding();
	expect(await resolve(id, "failed")).toMatchObject({ status: 200, body: { status: "unknown" } });
	expect(await resolve(id, "failed")).toMatchObject({
		...{ status: 403, body: { code: "resolver_is_proposer" } },
	});
	expect(await refunding()).toBe(held);
	expect(await resolve(id, "failed", brian)).toMatchObject({
		...{ status: 200, body: { status: "failed", failure_code: "resolved" } },
	});
	expect(await refunding()).toBe(held - 100_000);
	expect(await resolve(id, "failed", brian)).toMatchObject({
		...{ status: 409, body: { code: "refund_not_waiting" } },
	});
});

test("while the gateway does not answer, a refund is not declared as failed", async () => {
	const id = await waiting();
	await till.cards("PUT", "/_control/faults", [{ operation: "list_refunds", fault: "maintenance" }]);
	expect(await resolve(id, "failed")).toMatchObject({ status: 503, body: { code: "gateway_unavailable" } });
	expect(await resolve(id, "processed")).toMatchObject({ status: 200, body: { status: "processed" } });
});

test("a reversal fails only once the gateway answered a question since the first operator decided", async () => {
	const { paymentId } = await cards().pay();
	const { body } = await cards().refund({ payment_id: paymentId });
	const id = body["id"];
	await change(id, "needs_review = true, method = 'reversal', originator_id = 'asked-before'");
	expect(await resolve(id, "failed")).toMatchObject({ status: 200 });
	expect(await resolve(id, "failed", brian)).toMatchObject({
		...{ status: 503, body: { code: "gateway_unavailable" } },
	});
	await inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		recordQuery(tx, {
			...{ tenantId: till.tenants.uhai.id, id: randomUUID(), shortcode: "600200" },
			...{ about: { kind: "status", originatorId: "asked-before" }, createdAt: new Date() },
			createdBy: { kind: "service", id: "treasury" },
		}),
	);
	expect(await resolve(id, "failed", brian)).toMatchObject({ status: 503 });
	await inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query(
			"update gateway_queries set status = 'answered', result = '{}', gateway_conversation_id = 'AG_1', ended_at = now() where originator_id = 'asked-before'",
		),
	);
	expect(await resolve(id, "failed", brian)).toMatchObject({ status: 200, body: { status: "failed" } });
});

test("the word of the first operator counts for a day", async () => {
	const id = await waiting();
	await resolve(id, "failed");
	await change(id, "proposed_at = (proposed_at at time zone 'UTC' - interval '25 hours') at time zone 'UTC'");
	expect(await resolve(id, "failed", brian)).toMatchObject({ status: 200, body: { status: "unknown" } });
	expect(await resolve(id, "failed", amina)).toMatchObject({ status: 200, body: { status: "failed" } });
});

test("a refund that does not exist, or does not wait, is not decided", async () => {
	const { paymentId } = await cards().pay();
	const { body } = await cards().refund({ payment_id: paymentId });
	expect(await resolve(body["id"], "failed")).toMatchObject({
		...{ status: 409, body: { code: "refund_not_waiting" } },
	});
	expect(await resolve(randomUUID(), "failed")).toMatchObject({
		...{ status: 404, body: { code: "refund_not_found" } },
	});
});

test.each([
	["by its list", true],
	["by an event alone", false],
])(
	"a refund that an operator says was processed, and of which the gateway says %s that it failed, stays so, and a person has to look",
	async (_, list_refunds) => {
		await till.database.db.query(
			`update gateway_profiles set settings = jsonb_set(settings, '{capabilities}',
			   coalesce(settings->'capabilities', '{}') || $1) where kind = 'card_gateway'`,
			[{ list_refunds }],
		);
		const { paymentId } = await cards().pay("refund-fails@example.com");
		const { body } = await cards().refund({ payment_id: paymentId });
		const id = body["id"];
		await cards().becomes(id, "pending");
		await change(id, "needs_review = true");
		expect(await resolve(id, "processed")).toMatchObject({ status: 200, body: { status: "processed" } });
		const journals = () =>
			inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
				tx.query("select purpose from journals where source_type = 'refund' and source_id = $1 order by id", [
					id,
				]),
			);
		const before = await journals();
		expect(before.at(-1)).toEqual({ purpose: "refund_paid" });
		await till.wait(20);
		const raised = async () => {
			await till.service.jobs.runDue();
			return till.database.db.query("select class, state, ours, theirs from exceptions where subject = $1", [
				`refund ${id} failed`,
			]);
		};
		await expect
			.poll(raised)
			.toMatchObject([
				{ class: "status", state: "open", ours: { status: "processed" }, theirs: { status: "failed" } },
			]);
		expect((await cards().refundNow(id))["status"]).toBe("processed");
		expect(await journals()).toEqual(before);
	},
);
