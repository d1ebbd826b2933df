import { actorOf, callerOf, originOf, permit, type Route, route, tenantOf, tenantWide } from "@lango/chassis";
import { FailureBody, Shape, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type, { type Static } from "typebox";
import type { Payout } from "../payouts/payout.ts";
import { listApprovals } from "../payouts/payout-approval.store.ts";
import { PayoutWire, toPayoutWire } from "../payouts/payout-wire.ts";
import type { Treasury } from "../treasury.ts";
import { approveBulk } from "./approve-bulk.ts";
import { bulkMax, requestBulk } from "./asking/request-bulk.ts";
import { KeyHeaders, PayoutBody, requireKey } from "./payout-body.ts";

const BulkBody = Shape({
	items: Type.Array(Shape(PayoutBody), { minItems: 1, maxItems: bulkMax }),
	dry_run: Type.Optional(Type.Boolean({ description: "Only checks: nothing is stored, held or sent" })),
});
const BulkWire = Type.Object({
	batch_id: Type.Union([Uuid, Type.Null()], { description: "Null after a check" }),
	items: Type.Array(PayoutWire, { description: "In the order of the request" }),
});

/** 500 payouts with all of their members. */
const bodyBytesMax = 512 * 1024;

const common = {
	...{ method: "POST", outlets: tenantWide("payouts are the tenant's") },
} as const;
const tags = ["payouts"];

/** The routes of many payouts at once. */
export const bulkRoutes = (domain: Treasury): readonly Route[] => [requesting(domain), approving(domain)];

const requesting = (domain: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.payouts.add"),
		url: "/payouts/bulk",
		bodyLimit: bodyBytesMax,
		schema: {
			summary: "Asks for up to 500 payouts: all of them are accepted, or none",
			description:
				"Each needs its amount, and the approval of another person. A refusal has the number of its item from 0, and the field. The same Idempotency-Key returns the payouts as they are now (200). Transfers are sent 100 at a time, five seconds apart.",
			tags,
			headers: KeyHeaders,
			body: BulkBody,
			response: { 200: BulkWire, 202: BulkWire, 409: FailureBody, 503: FailureBody },
		},
		handler: async (request, reply) => {
			const { items, dry_run: isDryRun = false } = request.body;
			const tenantId = tenantOf(request).id;
			const { isNew, ...bulk } = await requestBulk(domain, {
				...{ tenantId, items, isDryRun, idempotencyKey: requireKey(request), by: byOf(request) },
			});
			return reply.code(isNew ? 202 : 200).send(await show(domain, { tenantId, ...bulk }));
		},
	});

const approving = (domain: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.payouts.manage"),
		url: "/payouts/bulk/:id/approve",
		schema: {
			summary: "Approves the payouts of a bulk request that wait for it, as another person than its maker",
			description: "Payouts that were rejected or cancelled stay so. Returns all payouts of the request.",
			tags,
			params: Type.Object({ tenant: Type.String(), id: Uuid }),
			response: { 200: BulkWire, 403: FailureBody, 404: FailureBody, 409: FailureBody },
		},
		handler: async (request) => {
			const [tenantId, batchId] = [tenantOf(request).id, request.params.id];
			const payouts = await approveBulk(domain, { tenantId, batchId, by: byOf(request) });
			return show(domain, { tenantId, batchId, payouts });
		},
	});

const byOf = (request: Parameters<typeof callerOf>[0]) => ({
	...{ actor: actorOf(callerOf(request)), ...originOf(request) },
});

type Shown = { tenantId: string; batchId: string | undefined; payouts: readonly Payout[] };

async function show(
	{ db }: Treasury,
	{ tenantId, batchId, payouts }: Shown,
): Promise<Static<typeof BulkWire>> {
	const ids = payouts.map(({ id }) => id);
	const approvals = await inTenant(db, tenantId, (tx) => listApprovals(tx, ids));
	const items = payouts.map((payout) => toPayoutWire(payout, approvals));
	return { batch_id: batchId ?? null, items };
}
