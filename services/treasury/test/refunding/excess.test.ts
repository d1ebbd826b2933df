import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { addTrade, receive } from "../receive.ts";
import { openTill } from "../till.ts";
import { openCards } from "./card-payments.ts";

const till = setUp(openTill);

/**
 * A payer pays 1,500.00 shillings, for a request of 1,000.00 or for none. Returns the refunds of it after
 * some minutes.
 */
async function pay({ isAsked = true, minutes = 16, isWanted = true }) {
	const { db } = till.database;
	const { id: tenantId } = till.tenants.uhai;
	await inTenant(db, tenantId, (tx) => tx.query("update tenant_gateways set refund_excess = $1", [isWanted]));
	const trade = isAsked ? await addTrade(db, tenantId) : undefined;
	const receipt = await receive(db, tenantId, {
		...{ amountMinor: 150_000n, at: till.clock.now ?? new Date() },
		...(trade && { intentId: trade.id, accountRef: trade.accountCode }),
	});
	await till.wait(minutes * 60);
	const { body } = await openCards(till).ask("GET", `/refunds?receipt_id=${receipt.id}`);
	return body["items"];
}

test("what a payer paid too much for a request is returned by itself after a quarter of an hour", async () => {
	expect(await pay({ minutes: 14 })).toEqual([]);
	expect(await pay({})).toMatchObject([
		{ amount_minor: 50_000, method: "reversal", origin: "request", payment_id: null },
	]);
});

test.each([
	["the tenant does not want that", { isWanted: false }],
	["the money names no request", { isAsked: false }],
])("nothing is returned by itself if %s", async (_why, how) => {
	expect(await pay(how)).toEqual([]);
});

test("what was paid too much is found and returned if its job was lost", async () => {
	// Tokens are valid for an hour.
	till.clock.now = undefined;
	expect(await pay({ minutes: 0 })).toEqual([]);
	await till.database.db.query("delete from pgboss.job where name = 'excess.refund'");
	const items = async () =>
		(await openCards(till).ask("GET", "/refunds")).body["items"] as Array<{ created_at: string }>;
	const before = (await items()).length;
	await till.wait(1_900);
	expect(await items()).toHaveLength(before);
	await till.service.jobs.run("excess.refund.sweep");
	await till.service.jobs.runDue();
	expect(await items()).toHaveLength(before + 1);
	const { body } = await openCards(till).ask("GET", "/refunds?limit=1&total=true");
	expect(body["total"]).toBe(before + 1);
});
