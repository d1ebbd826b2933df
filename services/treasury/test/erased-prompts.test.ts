import { type PublicTenant, tenantDeleted } from "@lango/contracts";
import { acrossTenants, inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test, vi } from "vitest";
import { applyOutcome } from "../src/outcomes/apply-outcome.ts";
import { addBill } from "./add-bill.ts";
import { listRows } from "./inbox/delivery-rows.store.ts";
import { findViolations } from "./ledger/invariants.ts";
import { receive } from "./receive.ts";
import { newPhone, openTill, type Till } from "./till.ts";

/** A tenant whose payers have paid by prompts and by card, and that is deleted before the gateways say so. */
const at = setUp(async () => {
	const till = await openTill();
	const { db } = till.database;
	const { id: tenantId, slug } = till.tenants.uhai;
	const ask = async (path: string, body: object) => {
		const url = `/api/v1/${slug}/treasury${path}`;
		const answer = await till.call({
			method: "POST",
			url,
			token: till.token(till.tenants.uhai, "admin"),
			body,
		});
		if (answer.status >= 300) throw new Error(`${path} was refused: ${answer.status}`);
		return answer.body;
	};
	const addOne = (amountMinor: bigint) =>
		inTenant(db, tenantId, (tx) => addBill(tx, tenantId, { amountMinor }));
	const prompt = async (path: string) =>
		String((await ask(`${path}/push`, { phone: newPhone("accepts") }))["attempt_id"]);
	const [bill, queried] = [await addOne(250_000n), await addOne(70_000n)];
	await prompt(`/bills/${bill.operationId}`);
	const found = await prompt(`/bills/${queried.operationId}`);
	const request = { amount_minor: 100_000, currency: "KES", description: "Order 17" };
	const { id } = await ask("/intents", { ...request, channels: ["push", "card"] });
	await prompt(`/intents/${id}`);
	const checkout = await ask(`/intents/${id}/checkout`, { email: "amina@example.com" });
	await till.cards("POST", `/_control/checkouts/${checkout["access_code"]}`, {
		action: "pay",
		channel: "card",
	});
	await vi.waitFor(async () => expect(await listRows(db)).toHaveLength(4), 15_000);
	await findPaid(till, { tenantId, attemptId: found });
	await removeTenant(till, till.tenants.uhai);
	await till.service.jobs.runDue();
	return till;
});

/** A query finds a prompt paid some seconds after the payment: it says no number. */
const findPaid = (
	{ database: { db } }: Till,
	{ tenantId, attemptId }: { tenantId: string; attemptId: string },
) =>
	inTenant(db, tenantId, (tx) =>
		applyOutcome(tx, {
			...{ tenantId, attemptId, source: "query", sourceId: undefined, at: new Date(Date.now() + 5_000) },
			said: {
				...{ kind: "paid", amountMinor: undefined, currency: "KES", receipt: undefined },
				...{ paidAt: undefined, payerMasked: undefined },
			},
		}),
	);

/** Deletes a tenant, and waits until its prompts are erased. */
async function removeTenant({ transport, database: { db } }: Till, { id, slug }: PublicTenant) {
	const data = { tenant_id: id, slug, version: 9 };
	await transport.publish(testEvent(tenantDeleted, { subject: id, tenant: { id }, data }));
	const attempts = () => inTenant(db, id, (tx) => tx.query("select from attempts"));
	await vi.waitFor(async () => expect(await attempts()).toEqual([]), 20_000);
}

/** Pays a bill of a tenant by a prompt that a query finds paid. */
async function payByPrompt(tenant: PublicTenant, amountMinor: bigint): Promise<void> {
	const bill = await inTenant(at.database.db, tenant.id, (tx) => addBill(tx, tenant.id, { amountMinor }));
	const answer = await at.call({
		...{ method: "POST", url: `/api/v1/${tenant.slug}/treasury/bills/${bill.operationId}/push` },
		...{ token: at.token(tenant, "admin"), body: { phone: newPhone("accepts") } },
	});
	expect(answer.status).toBe(202);
	await findPaid(at, { tenantId: tenant.id, attemptId: String(answer.body["attempt_id"]) });
}

/** What waits with the platform owner. */
const waiting = () =>
	inTenant(at.database.db, at.tenants.lango.id, (tx) =>
		tx.query<{ amount: number }>(
			`with posted as materialized (select source_id, purpose from journals)
			 select r.shortcode, r.amount_minor::int as amount, r.allocated_minor::int as allocated, j.purpose
			   from receipts r join posted j on j.source_id = r.id order by amount`,
		),
	);
const inSuspense = { allocated: 0, purpose: "suspense" };

const violations = () =>
	findViolations({ read: (text) => acrossTenants(at.database.db, (tx) => tx.query(text)) });

test("money of a prompt for a bill, and of a checkout, whose tenant was deleted before the gateway said so lies in suspense with the platform owner, once", async () => {
	const once = [
		{ shortcode: null, amount: 100_000, ...inSuspense },
		{ shortcode: "600100", amount: 250_000, ...inSuspense },
	];
	expect(await waiting()).toEqual(once);
	const token = at.token(at.tenants.lango, "superuser");
	const rows = await at.database.db.query<{ id: string }>("select id::text from webhook_deliveries");
	for (const { id } of rows) {
		const url = `/api/v1/platform/inbox/${id}/replay`;
		expect((await at.call({ method: "POST", url, token })).status).toBeLessThan(300);
	}
	await at.service.jobs.runDue();
	expect(await waiting()).toEqual(once);
	expect(await violations()).toEqual([]);
});

test("what a query found paid before its tenant was deleted is not counted again by its callback, which brings its number", async () => {
	const receipts = await inTenant(at.database.db, at.tenants.uhai.id, (tx) =>
		tx.query("select amount_minor::int as amount, receipt from receipts"),
	);
	expect(receipts).toEqual([{ amount: 70_000, receipt: expect.stringMatching(/^[A-Z0-9]{10}$/) }]);
});

test("no callback of a prompt that was erased with its tenant counts as forged, and what came to the tenant's own shortcode is counted nowhere", async () => {
	const callbacks = (await listRows(at.database.db)).filter(({ route }) => route === "callback");
	expect(callbacks.map(({ status, trust }) => ({ status, trust }))).toEqual(
		[1, 2, 3].map(() => ({ status: "done", trust: "token" })),
	);
	const codes = Object.keys(await at.balances(at.tenants.uhai));
	expect(codes.filter((code) => /600200|mobile/.test(code))).toEqual([]);
});

test("what a query found paid before its tenant was deleted is counted once if its confirmation brings the number, and if its number was counted for the platform owner", async () => {
	const { kahawa, lango } = at.tenants;
	const { db } = at.database;
	await at.registerUrls(lango);
	const before = (await listRows(db)).length;
	const onlyConfirmed = ["drop", "double_route"].map((fault) => ({ operation: "push", fault, count: 1 }));
	for (const [place, faults] of [onlyConfirmed, []].entries()) {
		await at.sandbox("PUT", "/_control/faults", faults);
		await payByPrompt(kahawa, 41_000n + BigInt(place * 1_000));
		await vi.waitFor(async () => expect(await listRows(db)).toHaveLength(before + place + 1), 15_000);
	}
	const [, callback] = (await listRows(db)).slice(before);
	await at.sandbox("PUT", "/_control/faults", [{ operation: "push", fault: "drop", count: 1 }]);
	await payByPrompt(kahawa, 43_000n);
	const number = /"Value":"([A-Z0-9]{10})"/.exec(String(callback?.raw))?.[1] ?? "";
	await removeTenant(at, kahawa);
	await receive(db, lango.id, {
		...{ receipt: number, shortcode: "600100", custody: "platform", amountMinor: 42_000n },
		payerMasked: null,
	});
	await at.service.jobs.runDue();
	const receipts = await inTenant(db, kahawa.id, (tx) =>
		tx.query("select amount_minor::int as amount, receipt from receipts order by amount"),
	);
	expect(receipts).toEqual([
		{ amount: 41_000, receipt: expect.stringMatching(/^[A-Z0-9]{10}$/) },
		{ amount: 42_000, receipt: number },
		{ amount: 43_000, receipt: null },
	]);
	const amounts = (await waiting()).map(({ amount }) => amount);
	expect(amounts).toEqual([100_000, 250_000]);
	expect(await violations()).toEqual([]);
});

test("money that a query found paid before its tenant was deleted, and that only a confirmation without trust names, is not counted again: the platform owner decides", async () => {
	const { db } = at.database;
	const number = await vi.waitFor(async () => {
		const { movements } = await at.sandbox("GET", "/_control/ledger?limit=10000");
		const all = movements as Array<{ receipt: string; amount_minor: number }>;
		const paid = all.find(({ amount_minor }) => amount_minor === 43_000);
		return paid?.receipt ?? Promise.reject(new Error("the phone has not paid yet"));
	}, 15_000);
	const before = await waiting();
	// A question because of a hint has only a share of the calls.
	await db.query(
		`update gateway_profiles set settings = settings || '{"per_second": 1000}' where kind = 'mobile_money'`,
	);
	const body = { TransID: number, TransAmount: "430.00", BusinessShortCode: "600100", BillRefNumber: "" };
	await at.call({ method: "POST", url: "/webhooks/mobilemoney/confirmation", body });
	const answered = () =>
		inTenant(db, at.tenants.lango.id, (tx) =>
			tx.query("select status from gateway_queries where receipt = $1", [number]),
		);
	await expect
		.poll(async () => {
			await at.service.jobs.runDue();
			return answered();
		})
		.toEqual([{ status: "answered" }]);
	expect(await waiting()).toEqual(before);
	await at.wait(2 * 24 * 3_600);
	expect(await db.query("select class from exceptions where subject = $1", [number])).toEqual([
		{ class: "duplicate" },
	]);
	expect(await waiting()).toEqual(before);
	expect(await violations()).toEqual([]);
});

test("a later payment to the account of a deleted tenant is not taken for one that a query found before it", async () => {
	const found = () =>
		inTenant(at.database.db, at.tenants.kahawa.id, (tx) =>
			tx.query<{ account: string; receipt: string | null }>(
				"select account_ref as account, receipt from receipts where amount_minor = 43000",
			),
		);
	const [{ account } = { account: "" }] = await found();
	await at.wait(60);
	// The gateway takes money for an account that it could not have checked.
	await at.sandbox("PUT", "/_control/faults", [{ operation: "validation", fault: "drop", count: 1 }]);
	await at.payAtCounter({ shortcode: "600100", amountMinor: 43_000, account });
	expect(await found()).toEqual([{ account, receipt: null }]);
	const amounts = (await waiting()).map(({ amount }) => amount);
	expect(amounts).toEqual([43_000, 100_000, 250_000]);
	expect(await violations()).toEqual([]);
});
