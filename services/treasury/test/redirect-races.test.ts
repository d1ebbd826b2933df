import { acrossTenants, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { payUrlOf } from "../src/payments/pay-code.ts";
import { addBill, keys } from "./add-bill.ts";
import { findViolations } from "./ledger/invariants.ts";
import { findBroken } from "./outcomes/state.ts";
import { openTill } from "./till.ts";

const till = setUp(openTill);
const db = () => till.database.db;

/** Opens a checkout of a request of KES 2,500, and pays it by card. Returns the request and its reference. */
async function payByCard(payee: "tenant" | "platform"): Promise<{ intentId: string; reference: string }> {
	const { id: tenantId } = till.tenants.uhai;
	const intent = await inTenant(db(), tenantId, (tx) => addBill(tx, tenantId, { payee }));
	const code = payUrlOf(intent, { keys, settings: { consoleUrl: "" } }).slice("/pay/".length);
	const url = `/api/v1/pay/${code}/checkout`;
	const { body } = await till.call({ method: "POST", url, body: { email: "amina@example.com" } });
	const choice = { action: "pay", channel: "card" };
	await till.cards("POST", `/_control/checkouts/${body["access_code"]}`, choice);
	return { intentId: intent.id, reference: String(body["reference"]) };
}

test.each<["tenant" | "platform", number]>([
	["tenant", 100],
	["platform", 25],
])(
	"redirect and event at the same time are one collection for the %s, %i times",
	async (payee, turns) => {
		const before = await till.balances(till.tenants.uhai);
		const intents: string[] = [];
		for (let turn = 0; turn < turns; turn += 1) {
			const { intentId, reference } = await payByCard(payee);
			intents.push(intentId);
			const waiting = () => db().query("select 1 from webhook_deliveries where status = 'received'");
			await expect.poll(waiting, { interval: 5 }).toHaveLength(1);
			const url = `/api/v1/payments/callback?reference=${reference}`;
			await Promise.all([till.service.jobs.runDue(), till.service.app.inject(url)]);
			await till.service.jobs.runDue();
		}
		expect(await paidOf(intents)).toEqual({ succeeded: turns, receipts: turns, published: turns });
		const after = await till.balances(till.tenants.uhai);
		const pending = (after["tenant.pending"] ?? 0) - (before["tenant.pending"] ?? 0);
		expect([pending, after["unapplied"] ?? 0]).toEqual([payee === "tenant" ? turns * 250_000 : 0, 0]);
		expect(await findViolations({ read: (text) => acrossTenants(db(), (tx) => tx.query(text)) })).toEqual([]);
		expect(await findBroken({ db: db() }, till.tenants.uhai.id)).toEqual([]);
	},
	120_000,
);

/** How many of the requests are paid, with how many receipts, and how often that was published. */
async function paidOf(intents: readonly string[]) {
	const tenantId = till.tenants.uhai.id;
	return inTenant(db(), tenantId, async (tx) => {
		const succeeded = await tx.query(
			"select 1 from intents where tenant_id = $1 and id = any ($2) and status = 'succeeded'",
			[tenantId, intents],
		);
		const receipts = await tx.query(
			"select distinct intent_id, receipt_id from payments where tenant_id = $1 and intent_id = any ($2)",
			[tenantId, intents],
		);
		const published = await tx.query(
			`select 1 from outbox where envelope->>'type' = 'treasury.payment.succeeded'
			    and envelope->'data'->>'intent_id' = any ($1::text[])`,
			[intents],
		);
		return { succeeded: succeeded.length, receipts: receipts.length, published: published.length };
	});
}
