import { randomUUID } from "node:crypto";
import { treasuryPaymentSucceeded } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { expect, test } from "vitest";
import { setUpDesk, until } from "./desk.ts";

const { service, desk } = setUpDesk();

/** The treasury reports a payment of an operation, asked for by a service. */
const pays = (operation_id: string, amount_minor: number, source_service: string) =>
	recordEvent(service.db, treasuryPaymentSucceeded, {
		...{ subject: operation_id, tenantId: desk.tenantId, now: service.clock.now },
		data: {
			...{ operation_id, tenant_id: desk.tenantId, payment_id: randomUUID(), amount_minor, source_service },
			...{ currency: "KES", paid_at: service.clock.now.toISOString() },
		},
	});

/** How many payments the service has counted. The events of one subject are applied in their order. */
async function received(): Promise<number> {
	const rows = await inTenant(service.db, desk.tenantId, (tx) => tx.query("select 1 from received_payments"));
	return rows.length;
}

test("a payment to the tenant that names an operation of its plan pays nothing: only one asked for here counts", async () => {
	await desk.ask("POST", "", { plan: "STARTER" });
	await desk.answers("silent");
	const { body } = await desk.ask("POST", "/checkout", { plan: "GROWTH" });
	const [id, amount] = [String(body["operation_id"]), Number(body["amount_minor"])];
	await pays(id, amount, "ordering");
	await pays(id, amount, "subscriptions");
	await until(async () => (await received()) > 0);
	expect(await received()).toBe(1);
	expect((await desk.ask("GET", "/payments")).body["items"]).toMatchObject([{ id, status: "paid" }]);
});
