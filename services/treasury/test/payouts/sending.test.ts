import { inTenant } from "@lango/postgres";
import { waitForBlockedQueries } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { beforeEach, expect, test } from "vitest";
import { lockAvailable } from "../../src/ledger/available.store.ts";
import { addPayout, getPayout } from "./add-payout.ts";
import { makeAvailable, openPaying } from "./paying.ts";

const till = setUp(openPaying);
const tenantId = () => till.tenants.uhai.id;

beforeEach(() => makeAvailable(till.database.db, tenantId(), { amountMinor: 100_000n }));

/** Holds the lock of the tenant's payouts, until the returned function is called. */
async function holdPayouts(): Promise<() => Promise<void>> {
	const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const held = inTenant(till.database.db, tenantId(), async (tx) => {
		await lockAvailable(tx, tenantId());
		locked.resolve();
		await released.promise;
	});
	await locked.promise;
	return async () => {
		released.resolve();
		await held;
	};
}

test("a halt, or a suspension, that begins while a payout is about to be sent stops it", async () => {
	const { db } = till.database;
	const halt = (is_on: boolean) =>
		till.operate("PUT", "/halts", { body: { scope: "payouts", is_on, because: "The gateway is wrong" } });
	const setStatus = (status: string) =>
		db.query("update tenants set status = $2 where id = $1", [tenantId(), status]);
	for (const [begin, end] of [
		[() => halt(true), () => halt(false)],
		[() => setStatus("suspended"), () => setStatus("active")],
	] as const) {
		const recipient_id = await till.addRecipient();
		const body = { rail: "card_gateway", recipient_id, amount_minor: 1_000 };
		const { id, reference } = (await till.ask("POST", "/payouts", { body })).body;
		const release = await holdPayouts();
		const running = till.service.jobs.runDue();
		await waitForBlockedQueries(db, { like: "%pg_advisory_xact_lock%" });
		await begin();
		await release();
		await running;
		await end();
		expect(await till.payout(String(id))).toMatchObject({ status: "approved" });
		expect(await till.moved(String(reference))).toEqual([]);
		await till.ask("POST", `/payouts/${id}/cancel`);
	}
});

test("while the gateway cannot be called a payout is not sent and does not fail, and the platform owner sees it", async () => {
	const { db } = till.database;
	const { id, reference } = await addPayout(db, tenantId(), {
		...{ shortcode: "600200", grossMinor: 10_000n, said: [{ kind: "approved" }] },
	});
	const [{ certificate } = { certificate: "" }] = await db.query<{ certificate: string }>(
		"select certificate from gateway_profiles where kind = 'mobile_money'",
	);
	const setCertificate = (to: string | null) =>
		db.query("update gateway_profiles set certificate = $1 where kind = 'mobile_money'", [to]);
	await setCertificate(null);
	await till.service.jobs.runDue();
	expect(await getPayout(db, { tenantId: tenantId(), id })).toMatchObject({
		...{ status: "approved", failureCode: "certificate_missing", sends: 0 },
	});
	const { body } = await till.operate("GET", "/reconciliation/exceptions?class=status&state=open");
	expect(body["items"]).toMatchObject([{ subject: reference, theirs: { code: "certificate_missing" } }]);
	await setCertificate(certificate);
	await till.wait(60);
	expect((await getPayout(db, { tenantId: tenantId(), id })).sends).toBe(1);
});

const exceptionsOf = async (of: string) => {
	const { body } = await till.operate("GET", `/reconciliation/exceptions?class=${of}&state=open`);
	return body["items"] as Array<{ subject: string }>;
};

test("a transfer whose one-time password is not given within 25 minutes needs a review, and what it holds stays held", async () => {
	const { db } = till.database;
	const recipient_id = await till.addRecipient();
	await till.cards("PUT", "/_control/otp", { is_required: true });
	const id = await till.pay({ recipient_id, amount_minor: 10_000 });
	await till.cards("PUT", "/_control/otp", { is_required: false });
	const held = (await till.balances(till.tenants.uhai))["tenant.reserved"];
	const read = () => getPayout(db, { tenantId: tenantId(), id });
	expect(await read()).toMatchObject({ status: "needs_otp", needsReview: false });
	await till.wait(25 * 60 + 1);
	expect(await read()).toMatchObject({ status: "needs_otp", needsReview: true });
	expect(await exceptionsOf("missing_there")).toMatchObject([{ subject: (await read()).reference }]);
	expect((await till.balances(till.tenants.uhai))["tenant.reserved"]).toBe(held);
});

test("a payout that the transfer balance does not cover is not sent: it stays approved, the platform owner sees it once, and it is sent after a top-up", async () => {
	const { db } = till.database;
	const grossMinor = 150_000_000n;
	const body = { settings: { daily_payout_minor: 200_000_000 } };
	expect((await till.operate("PUT", "/gateways/card-gateway", { body })).status).toBe(200);
	await makeAvailable(db, tenantId(), { amountMinor: grossMinor });
	const id = await till.addRecipient();
	const [{ code } = { code: "" }] = await inTenant(db, tenantId(), (tx) =>
		tx.query<{ code: string }>("select recipient_code as code from recipients where id = $1", [id]),
	);
	const payout = await addPayout(db, tenantId(), {
		...{ grossMinor, recipient: { id, code }, said: [{ kind: "approved" }] },
	});
	for (const seconds of [1, 300]) await till.wait(seconds);
	expect(await getPayout(db, payout)).toMatchObject({ status: "approved", sends: 0 });
	expect(await exceptionsOf("balance")).toMatchObject([{ subject: payout.reference }]);
	expect(await till.moved(payout.reference)).toEqual([]);
	await till.cards("POST", "/_control/top-up", { amount: 60_000_000 });
	await till.wait(300);
	expect(await till.moved(payout.reference)).toEqual([-150_000_000]);
});
