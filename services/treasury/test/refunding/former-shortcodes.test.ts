import { randomUUID } from "node:crypto";
import { type PublicTenant, tenantDeleted } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { addPayout } from "../payouts/add-payout.ts";
import { openTill } from "../till.ts";
import { addReversal } from "./add-reversal.ts";

const till = setUp(openTill);
const [amina, brian] = [randomUUID(), randomUUID()];

const resolve = async (what: "payouts" | "refunds", id: string, sub: string) => {
	const { status, body } = await till.call({
		...{ method: "POST", url: `/api/v1/platform/${what}/${id}/resolve` },
		token: till.token(till.tenants.lango, "superuser", { sub }),
		body: { as: "failed", because: "The statement of the account does not have it" },
	});
	return [status, body["code"] ?? body["status"]];
};

/** A payout from a shortcode, and a reversal of a payment to it, of which the gateway said nothing. */
async function addUnanswered({ id: tenantId }: PublicTenant, shortcode: string) {
	const { db } = till.database;
	const payout = await addPayout(db, tenantId, {
		...{ shortcode, grossMinor: 10_000n },
		said: [{ kind: "approved" }, { kind: "submitted" }, { kind: "unknown", because: "timeout" }],
	});
	await inTenant(db, tenantId, (tx) =>
		tx.query("update payouts set needs_review = true, next_check_at = null where id = $1", [payout.id]),
	);
	const accepted = { kind: "accepted", originatorId: randomUUID() } as const;
	const said = [{ kind: "submitting" }, accepted, { kind: "unanswered" }] as const;
	return { payout, refund: await addReversal(db, tenantId, { shortcode, said }) };
}

async function takeAnother({ slug }: PublicTenant): Promise<void> {
	const { status } = await till.call({
		...{
			method: "PUT",
			url: `/api/v1/${slug}/treasury/gateway`,
			token: till.token(till.tenants.uhai, "admin"),
		},
		body: { shortcode: "600201", kind: "paybill" },
	});
	expect(status).toBe(200);
}

async function remove({ id, slug }: PublicTenant): Promise<void> {
	const data = { tenant_id: id, slug, version: 9 };
	await till.transport.publish(testEvent(tenantDeleted, { subject: id, tenant: { id }, data }));
	await expect
		.poll(() => inTenant(till.database.db, id, (tx) => tx.query("select from tenant_gateways")))
		.toEqual([]);
}

test.each([
	["takes another shortcode", "uhai", "600200", takeAnother],
	["is deleted", "kahawa", "600300", remove],
] as const)(
	"two operators decide what the gateway never said about money from a shortcode once its tenant %s, and not before",
	async (...[, name, shortcode, lose]) => {
		const tenant = till.tenants[name];
		const { payout, refund } = await addUnanswered(tenant, shortcode);
		expect(await resolve("payouts", payout.id, amina)).toEqual([409, "verify_pending"]);
		expect(await resolve("refunds", refund.id, amina)).toEqual([200, "pending"]);
		expect(await resolve("refunds", refund.id, brian)).toEqual([503, "gateway_unavailable"]);
		await lose(tenant);
		expect(await resolve("payouts", payout.id, amina)).toEqual([200, "unknown"]);
		expect(await resolve("payouts", payout.id, brian)).toEqual([200, "failed"]);
		expect(await resolve("refunds", refund.id, amina)).toEqual([403, "resolver_is_proposer"]);
		expect(await resolve("refunds", refund.id, brian)).toEqual([200, "failed"]);
	},
);
