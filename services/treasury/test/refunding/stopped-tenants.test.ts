import { tenantDeleted } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { findRefund } from "../../src/refunds/refund.store.ts";
import { openTill } from "../till.ts";
import { openCards } from "./card-payments.ts";

const till = setUp(openTill);
const cards = () => openCards(till);

/** Asks for a refund of a payment of 1,000.00 shillings by card, which waits to be sent. */
async function waiting() {
	const { paymentId } = await cards().pay();
	const { body } = await cards().refund({ payment_id: paymentId });
	expect(body).toMatchObject({ status: "requested" });
	return String(body["id"]);
}

const read = (id: string) => inTenant(till.database.db, till.tenants.uhai.id, (tx) => findRefund(tx, id));

test("the refund of a suspended tenant is sent: the money is the payer's", async () => {
	const id = await waiting();
	const setStatus = (status: string) =>
		till.database.db.query("update tenants set status = $2 where id = $1", [till.tenants.uhai.id, status]);
	await setStatus("suspended");
	const sent = async () => {
		await till.service.jobs.runDue();
		return read(id);
	};
	await expect.poll(sent).toMatchObject({ status: "processed" });
	await setStatus("active");
});

test("the refund of a deleted tenant that waits is not sent: it fails, and its money is the tenant's again", async () => {
	const id = await waiting();
	const { uhai } = till.tenants;
	const held = (await till.balances(uhai))["tenant.refunding"];
	const data = { tenant_id: uhai.id, slug: uhai.slug, version: 9 };
	await till.transport.publish(testEvent(tenantDeleted, { subject: uhai.id, tenant: { id: uhai.id }, data }));
	await expect
		.poll(() => inTenant(till.database.db, uhai.id, (tx) => tx.query("select from intents")))
		.toEqual([]);
	await till.service.jobs.runDue();
	expect(await read(id)).toMatchObject({
		...{ status: "failed", failureCode: "tenant_deleted", submittedAt: null },
	});
	expect([held, (await till.balances(uhai))["tenant.refunding"]]).toEqual([100_000, 0]);
});
