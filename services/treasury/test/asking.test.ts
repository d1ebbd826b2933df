import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { applyOutcome } from "../src/outcomes/apply-outcome.ts";
import type { Said } from "../src/outcomes/evidence/evidence.ts";
import { askAboutIntent } from "../src/recovery/ask-now.ts";
import { followHint } from "../src/recovery/follow-hint.ts";
import { ladders } from "../src/recovery/ladder.ts";
import type { Treasury } from "../src/treasury.ts";
import { addBill } from "./add-bill.ts";
import { newPhone, openTill } from "./till.ts";

const till = setUp(openTill);
const setFaults = (rules: readonly object[]) => till.sandbox("PUT", "/_control/faults", rules);
afterEach(() => setFaults([]));

const inside = <R extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
	inTenant(till.database.db, till.tenants.uhai.id, (tx) => tx.query<R>(text, values));
const call = (method: string, path: string, body: object) =>
	till.call({
		...{ method, url: `/api/v1/uhai/treasury/${path}`, body },
		token: till.token(till.tenants.uhai, "admin"),
	});

/** A prompt of the tenant's own trade, of which no callback comes. */
async function prompt(owner: Parameters<typeof newPhone>[0]) {
	const { id: tenantId } = till.tenants.uhai;
	await setFaults([{ operation: "push", fault: "drop" }]);
	const { id } = await inTenant(till.database.db, tenantId, (tx) =>
		addBill(tx, tenantId, { payee: "tenant" }),
	);
	const asked = await call("POST", `intents/${id}/push`, { phone: newPhone(owner) });
	expect(asked.status).toBe(202);
	return { intentId: id, attemptId: String(asked.body["attempt_id"]) };
}
/** How many prompts were paid. A phone that is new has a deposit, too. */
const movements = async () => {
	const { movements: all } = await till.sandbox("GET", "/_control/ledger");
	return (all as Array<{ kind: string }>).filter(({ kind }) => kind === "push").length;
};
const statusOf = async (attemptId: string) =>
	(await inside<{ status: string }>("select status from attempts where id = $1", [attemptId]))[0]?.status;

test("a prompt is asked about at its own shortcode, also if the tenant has another one now", async () => {
	const before = await movements();
	const { attemptId } = await prompt("accepts");
	expect((await call("PUT", "gateway", { shortcode: "600201", kind: "paybill" })).status).toBe(200);
	await till.wait(10);
	await expect.poll(movements).toBe(before + 1);
	await till.wait(45);
	expect(await statusOf(attemptId)).toBe("succeeded");
	expect((await call("PUT", "gateway", { shortcode: "600200", kind: "paybill" })).status).toBe(200);
});

test("a prompt about which the gateway has said nothing by the last question expires, and raises an exception, which closes once it was paid", async () => {
	const { intentId, attemptId } = await prompt("is silent");
	await inside("update attempts set checks = $2 where id = $1", [attemptId, ladders.push.length - 1]);
	await setFaults([{ operation: "push_query", fault: "maintenance" }]);
	await till.wait(25);
	expect(await statusOf(attemptId)).toBe("expired");
	const raised = await till.database.db.query(
		"select class, amount_minor::int as amount, ours from exceptions",
	);
	expect(raised).toMatchObject([
		{
			...{ class: "missing_there", amount: 250_000 },
			ours: { intent_id: intentId, attempt_id: attemptId, shortcode: "600200" },
		},
	]);
	const { id: tenantId } = till.tenants.uhai;
	const said = { kind: "paid", amountMinor: 250_000n, currency: "KES", receipt: "SG632NMUAB" } as const;
	const about = { tenantId, attemptId, source: "delivery", sourceId: undefined, at: new Date() } as const;
	await inTenant(till.database.db, tenantId, (tx) =>
		applyOutcome(tx, { ...about, said: { ...said, paidAt: undefined, payerMasked: undefined } }),
	);
	expect(await till.database.db.query("select state from exceptions")).toEqual([{ state: "closed" }]);
});

test("a person who refreshes or cancels a payment uses up no question of hints, and does not change when the gateway is asked next", async () => {
	const { id: tenantId } = till.tenants.uhai;
	const { intentId, attemptId } = await prompt("is silent");
	const areHints: boolean[] = [];
	const account = {
		...{ shortcode: "600200", passkey: "sandbox-passkey", now: () => new Date() },
		post: async ({ isHint = false }: { isHint?: boolean }) => {
			areHints.push(isHint);
			return { is: "unknown" };
		},
	};
	const gateways = { findMobileMoney: async () => account };
	const counts = { queried: () => undefined };
	const domain = { db: till.database.db, now: () => new Date(), gateways, counts } as unknown as Treasury;
	const next = () => inside("select checks, next_check_at from attempts where id = $1", [attemptId]);
	const before = await next();
	await askAboutIntent(domain, tenantId, intentId);
	await followHint(domain, { tenantId, attemptId, isLastTry: false });
	expect(areHints).toEqual([false, true]);
	expect(await next()).toEqual(before);
});

/** The prompt ends for us; then somebody who is not trusted says how it ended. */
async function hintAfter(attemptId: string, said: Said) {
	const { id: tenantId } = till.tenants.uhai;
	const about = { tenantId, attemptId, source: "query", sourceId: undefined, at: new Date() } as const;
	await inTenant(till.database.db, tenantId, (tx) => applyOutcome(tx, { ...about, said }));
	const [row] = await inside<{ id: string }>("select checkout_request_id as id from attempts where id = $1", [
		attemptId,
	]);
	const stkCallback = { MerchantRequestID: "any", CheckoutRequestID: row?.id, ResultCode: 0 };
	const body = Buffer.from(JSON.stringify({ Body: { stkCallback } }));
	expect((await till.call({ method: "POST", url: "/webhooks/mobilemoney/callback", body })).status).toBe(200);
}

test.each<Said>([
	{ kind: "failed", code: "timeout" },
	{ kind: "cancelled", code: "1032" },
	{ kind: "expired" },
])(
	"a prompt that is $kind here and was paid at the gateway is counted after a callback without a token",
	async (said) => {
		const { attemptId } = await prompt("accepts");
		const before = await movements();
		await till.wait(10);
		await expect.poll(movements).toBe(before + 1);
		await setFaults([{ operation: "push_query", fault: "maintenance", count: 1 }]);
		await hintAfter(attemptId, said);
		await till.service.jobs.runDue();
		expect(await statusOf(attemptId)).toBe(said.kind);
		await till.wait(130);
		expect(await statusOf(attemptId)).toBe("succeeded");
	},
);

test("after the last question about a prompt that has ended and may be paid, a person has to look", async () => {
	const { attemptId } = await prompt("is silent");
	await setFaults([{ operation: "push_query", fault: "maintenance" }]);
	await hintAfter(attemptId, { kind: "failed", code: "timeout" });
	await till.service.jobs.runDue();
	await till.database.db.query(
		"update pgboss.job set retry_count = retry_limit - 1 where name = 'attempts.ask' and data->>'id' = $1",
		[attemptId],
	);
	await till.wait(130);
	const raised = await till.database.db.query("select ours from exceptions where ours->>'attempt_id' = $1", [
		attemptId,
	]);
	expect(raised).toMatchObject([{ ours: { status: "failed" } }]);
});
