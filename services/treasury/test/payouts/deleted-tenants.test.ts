import { tenantDeleted } from "@lango/contracts";
import { acrossTenants, inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test, vi } from "vitest";
import { findViolations } from "../ledger/invariants.ts";
import { addPayout, getPayout } from "./add-payout.ts";
import { makeAvailable, openPaying } from "./paying.ts";

/** A tenant that is deleted while its payouts are being sent, and those payouts. */
const at = setUp(async () => {
	const till = await openPaying();
	const { db } = till.database;
	const { id: tenantId, slug } = till.tenants.uhai;
	await till.sandbox("PUT", "/_control/shortcodes", [
		{ shortcode: "600200", utility_minor: 10_000_000, working_minor: 10_000_000 },
	]);
	await makeAvailable(db, tenantId, { amountMinor: 100_000n });
	const recipient_id = await till.addRecipient();
	const transfer = { recipient_id, amount_minor: 20_000 };
	await till.cards("PUT", "/_control/faults", [
		{ operation: "transfer", fault: "reset_after_commit", count: 1 },
		{ operation: "transfer.success", fault: "drop" },
	]);
	const lost = await till.pay(transfer);
	const wages = { kind: "customer", to: "0712345678", amount_minor: 10_000, remarks: "Wages" };
	await till.sandbox("PUT", "/_control/faults", [{ operation: "payout", fault: "drop", count: 1 }]);
	const silent = await till.pay({ rail: "mobile_money", ...wages });
	const toPhone = await till.pay({ rail: "mobile_money", ...wages });
	const never = await addPayout(db, tenantId, {
		...{ grossMinor: 20_000n, recipient: { id: recipient_id, code: "RCP_unknown" } },
		said: [{ kind: "approved" }, { kind: "submitted" }, { kind: "unknown", because: "no_answer" }],
	});
	const body = { rail: "card_gateway", ...transfer };
	const unsent = String((await till.ask("POST", "/payouts", { body })).body["id"]);
	const read = (id: string) => getPayout(db, { tenantId, id });
	const before = await Promise.all([lost, silent, toPhone, never.id, unsent].map(read));
	await till.transport.publish(
		testEvent(tenantDeleted, {
			...{ subject: tenantId, tenant: { id: tenantId } },
			data: { tenant_id: tenantId, slug, version: 9 },
		}),
	);
	await vi.waitFor(async () => {
		const left = await inTenant(db, tenantId, (tx) =>
			tx.query("select tenant_id from tenant_gateways union all select tenant_id from recipients"),
		);
		expect(left).toEqual([]);
	}, 90_000);
	return {
		...till,
		read,
		statuses: before.map(({ status }) => status),
		lost,
		silent,
		toPhone,
		never,
		unsent,
	};
});

/** How often money left the shortcode, by the sandbox's truth. */
async function countToPhones(): Promise<number> {
	const { movements } = (await at.sandbox("GET", "/_control/ledger")) as unknown as {
		movements: Array<{ kind: string }>;
	};
	return movements.filter(({ kind }) => kind === "payout").length;
}

test("a transfer whose answer was lost before its tenant was deleted is booked as paid once the gateway says so, and moves once", async () => {
	expect(at.statuses).toEqual(["unknown", "in_flight", "in_flight", "unknown", "approved"]);
	await at.wait(31);
	await expect.poll(() => at.read(at.lost)).toMatchObject({ status: "paid", sends: 1 });
	expect(await at.moved((await at.read(at.lost)).reference)).toEqual([-20_000]);
});

test("the result of a payout from the shortcode of a tenant that was deleted meanwhile is booked, and it moves once", async () => {
	await expect
		.poll(async () => {
			await at.service.jobs.runDue();
			return at.read(at.toPhone);
		})
		.toMatchObject({ status: "paid", sends: 1 });
	expect(await countToPhones()).toBe(2);
});

test("an approved payout of a deleted tenant is not sent: it is cancelled, and what it held is the tenant's again", async () => {
	await at.wait(300);
	await expect
		.poll(() => at.read(at.unsent))
		.toMatchObject({ status: "cancelled", failureCode: "tenant_deleted", sends: 0 });
	expect(await at.moved((await at.read(at.unsent)).reference)).toEqual([]);
});

/** Two persons of the platform owner decide about a payout. */
async function resolve(id: string, as: "paid" | "failed"): Promise<void> {
	for (const by of ["operator", "second"] as const) {
		const body = { as, because: "The statement of the account says so" };
		expect((await at.operate("POST", `/payouts/${id}/resolve`, { body, by })).status).toBe(200);
	}
	expect(await at.read(id)).toMatchObject({ status: as, sends: 1 });
}

test("what the gateway does not say about payouts of a deleted tenant is not sent again, and two persons of the platform owner decide it", async () => {
	for (const seconds of [31, 600, 3_100, 18_100, 65_000]) await at.wait(seconds);
	for (const id of [at.never.id, at.silent])
		await expect.poll(() => at.read(id)).toMatchObject({ needsReview: true, sends: 1 });
	expect([await at.moved(at.never.reference), await countToPhones()]).toEqual([[], 2]);
	const held = await at.balances(at.tenants.uhai);
	expect(held).toMatchObject({ "tenant.available": 60_000, "tenant.reserved": 20_000 });
	await resolve(at.never.id, "failed");
	await resolve(at.silent, "paid");
	expect(await at.balances(at.tenants.uhai)).toMatchObject({
		...{ "tenant.available": 80_000, "tenant.reserved": 0 },
		"tenant.mobile": Number(held["tenant.mobile"]) - 10_000,
	});
	const violations = findViolations({
		read: (text) => acrossTenants(at.database.db, (tx) => tx.query(text)),
	});
	expect(await violations).toEqual([]);
});
