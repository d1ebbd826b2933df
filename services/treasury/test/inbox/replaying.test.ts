import { acrossTenants } from "@lango/postgres";
import { defaultSecretKey } from "@lango/sandbox-card-gateway";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { findViolations } from "../ledger/invariants.ts";
import { openCards } from "../refunding/card-payments.ts";
import { openTill } from "../till.ts";

const till = setUp(openTill);
const cards = () => openCards(till);

/** How the deliveries of the card gateway ended. */
const statuses = async () => {
	const rows = await till.database.db.query<{ status: string }>(
		"select status from webhook_deliveries where route = 'cardgateway' order by id",
	);
	return rows.map(({ status }) => status);
};

/** A version of the treasury that did not know them has parked what was received. */
async function parkReceived(): Promise<void> {
	const { db } = till.database;
	await db.query(
		"update webhook_deliveries set status = 'parked', error = 'it is not applied yet', ended_at = now() where status = 'received'",
	);
	await db.query("delete from pgboss.job where name = 'inbox.apply'");
}

/** Applies the deliveries of a status again. Returns how many. */
async function replay(status: "parked" | "done"): Promise<unknown> {
	const { body } = await till.call({
		...{ method: "POST", url: "/api/v1/platform/inbox/replay" },
		token: till.token(till.tenants.lango, "superuser"),
		body: { from: "2000-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z", status },
	});
	await till.service.jobs.runDue();
	return body["replayed"];
}

/** What became of the refunds and disputes, and what the tenant has. */
async function stateNow() {
	const items = async (path: string) => (await cards().ask("GET", path)).body["items"];
	return {
		...{ refunds: await items("/refunds"), disputes: await items("/disputes") },
		balances: await till.balances(till.tenants.uhai),
	};
}

test("refunds and disputes whose events were parked are applied by a replay, once, also if it is repeated", async () => {
	const [refunded, disputed] = [await cards().pay(), await cards().pay()];
	const before = (await statuses()).length;
	const made = await fetch(`${till.cardGateway.url}/refund`, {
		method: "POST",
		headers: { authorization: `Bearer ${defaultSecretKey}`, "content-type": "application/json" },
		body: JSON.stringify({ transaction: refunded.reference, amount: 30_000 }),
	});
	expect(made.status).toBe(200);
	await till.cards("POST", "/_control/dispute", { reference: disputed.reference });
	await till.cards("PUT", "/_control/clock", { now: new Date(Date.now() + 20_000).toISOString() });
	await expect.poll(statuses).toHaveLength(before + 4);
	await parkReceived();
	await till.service.jobs.runDue();
	expect(await stateNow()).toMatchObject({ refunds: [], disputes: [] });
	expect(await replay("parked")).toBe(4);
	const applied = {
		refunds: [{ origin: "gateway", amount_minor: 30_000, status: "processed" }],
		disputes: [{ amount_minor: 100_000, status: "open" }],
		balances: { "tenant.pending": 70_000, "tenant.disputed": 100_000 },
	};
	const state = await stateNow();
	expect(state).toMatchObject(applied);
	expect(new Set(await statuses())).toEqual(new Set(["done"]));
	expect(await replay("done")).toBe(before + 4);
	expect(await stateNow()).toEqual(state);
	expect(await replay("parked")).toBe(0);
	const read = (text: string) => acrossTenants(till.database.db, (tx) => tx.query<never>(text));
	expect(await findViolations({ read })).toEqual([]);
});
