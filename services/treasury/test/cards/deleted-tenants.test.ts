import { tenantDeleted } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { openTill } from "../till.ts";
import { openWallet } from "./paying-by-card.ts";

const at = setUp(async () => {
	const till = await openTill();
	return { ...till, wallet: openWallet(till) };
});
const faults = (...operations: readonly string[]) =>
	at.cards(
		"PUT",
		"/_control/faults",
		operations.map((operation) => ({
			...{ operation, fault: operation === "create_subscription" ? "reset_after_commit" : "drop", count: 1 },
		})),
	);

/** What is stored of a card subscription, also once its tenant is deleted. */
async function stored(id: unknown) {
	await at.service.jobs.runDue();
	const [row] = await inTenant(at.database.db, at.tenants.uhai.id, (tx) =>
		tx.query<{ status: string; executions: number; has_token: boolean }>(
			"select status, executions, email_token_key_id is not null as has_token from card_subscriptions where id = $1",
			[id],
		),
	);
	return row;
}

const open = () =>
	at.database.db.query(
		"select subject, ours->>'tenant_id' as tenant, ours->>'card_subscription_id' as id from exceptions where class = 'status' and state = 'open'",
	);

test("the card subscription of a deleted tenant whose secret never came is stopped before its next charge, once an invoice brings it; until then the platform owner sees it", async () => {
	await faults("create_subscription", "invoice.create", "invoice.update");
	const { id, status } = (await at.wallet.subscribe()).body;
	expect(status).toBe("creating");
	await expect.poll(() => stored(id)).toMatchObject({ status: "active", executions: 1, has_token: false });
	const { id: tenant_id, slug } = at.tenants.uhai;
	const data = { tenant_id, slug, version: 9 };
	await at.transport.publish(
		testEvent(tenantDeleted, { subject: tenant_id, tenant: { id: tenant_id }, data }),
	);
	const cards = () =>
		inTenant(at.database.db, tenant_id, (tx) => tx.query("select from card_authorizations"));
	await expect.poll(cards).toEqual([]);
	await at.wait(900);
	await at.service.jobs.run("card-subscriptions.stop.sweep");
	expect(await stored(id)).toMatchObject({ status: "active" });
	expect(await open()).toEqual([
		{ subject: expect.stringMatching(/^card subscription SUB_/), tenant: tenant_id, id },
	]);

	await at.wait(29 * 86_400);
	await expect.poll(() => stored(id)).toMatchObject({ executions: 1, has_token: true });
	await at.service.jobs.run("card-subscriptions.stop.sweep");
	expect(await stored(id)).toMatchObject({ status: "non_renewing" });
	expect(await open()).toEqual([]);
	await at.wait(5 * 86_400);
	await expect.poll(() => stored(id)).toMatchObject({ status: "completed", executions: 1 });
});
