import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { askAboutIntent } from "../src/recovery/ask-now.ts";
import { findOutAttempt } from "../src/recovery/find-out.ts";
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
const movements = async () =>
	((await till.sandbox("GET", "/_control/ledger"))["movements"] as unknown[]).length;
const statusOf = async (attemptId: string) =>
	(await inside<{ status: string }>("select status from attempts where id = $1", [attemptId]))[0]?.status;

test("a prompt is asked about at its own shortcode, also if the tenant has another one now", async () => {
	const { attemptId } = await prompt("accepts");
	const before = await movements();
	expect((await call("PUT", "gateway", { shortcode: "600201", kind: "paybill" })).status).toBe(200);
	await till.wait(10);
	await expect.poll(movements).toBe(before + 1);
	await till.wait(45);
	expect(await statusOf(attemptId)).toBe("succeeded");
	expect((await call("PUT", "gateway", { shortcode: "600200", kind: "paybill" })).status).toBe(200);
});

test("a prompt about which the gateway has said nothing by the last question expires, and raises an exception", async () => {
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
	const domain = { db: till.database.db, now: () => new Date(), gateways } as unknown as Treasury;
	const next = () => inside("select checks, next_check_at from attempts where id = $1", [attemptId]);
	const before = await next();
	await askAboutIntent(domain, tenantId, intentId);
	await findOutAttempt(domain, { tenantId, attemptId, keepsSchedule: true, isHint: true });
	expect(areHints).toEqual([false, true]);
	expect(await next()).toEqual(before);
});
