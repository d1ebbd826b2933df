import {
	actorOf,
	callerOf,
	originOf,
	pageBy,
	permit,
	type Route,
	readKey,
	route,
	tenantOf,
	tenantWide,
	totalOf,
	uuidForm,
} from "@lango/chassis";
import { FailureBody, Line, Page, PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { payoutFailures } from "../payouts/failures.ts";
import { findPayout, listPayouts } from "../payouts/payout.store.ts";
import type { Payout } from "../payouts/payout.ts";
import { listApprovals } from "../payouts/payout-approval.store.ts";
import { PayoutStatusWire, PayoutWire, toPayoutWire } from "../payouts/payout-wire.ts";
import type { Treasury } from "../treasury.ts";
import { requestPayout } from "./asking/request-payout.ts";
import { approvePayout, cancelPayout, rejectPayout } from "./decide-payout.ts";
import { KeyHeaders, PayoutBody, requireKey } from "./payout-body.ts";

const tags = ["payouts"];
const common = { outlets: tenantWide("payouts are the tenant's") };
const Params = Type.Object({ tenant: Type.String(), id: Uuid });
/** The routes of a tenant's payouts. */
export const payoutRoutes = (domain: Treasury): readonly Route[] => [
	requesting(domain),
	listing(domain),
	showing(domain),
	...[approving, rejecting, cancelling].map((make) => make(domain)),
];

/** Reads a payout, and writes it with the decisions about it. Throws `payout_not_found`. */
export async function showPayout({ db }: Treasury, { tenantId, id }: Pick<Payout, "tenantId" | "id">) {
	return inTenant(db, tenantId, async (tx) => {
		const payout = await findPayout(tx, id);
		if (payout === undefined) throw payoutFailures.payout_not_found();
		return toPayoutWire(payout, await listApprovals(tx, [id]));
	});
}

const requesting = (domain: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.payouts.add"),
		method: "POST",
		url: "/payouts",
		schema: {
			summary: "Asks for a payout",
			description:
				"By the card gateway, without an amount: all that is available, as far as the limit of the day allows. Fees that are due and the fee of the transfer are deducted. Another person approves every payout above the ceiling, to a recipient younger than a day, and by mobile money. The same Idempotency-Key returns the payout as it is now (200).",
			tags,
			headers: KeyHeaders,
			body: Shape(PayoutBody),
			response: { 200: PayoutWire, 202: PayoutWire, 409: FailureBody, 503: FailureBody },
		},
		handler: async (request, reply) => {
			const tenantId = tenantOf(request).id;
			const { payoutId, isNew } = await requestPayout(domain, {
				...{ tenantId, request: request.body, by: byOf(request) },
				idempotencyKey: requireKey(request),
			});
			return reply.code(isNew ? 202 : 200).send(await showPayout(domain, { tenantId, id: payoutId }));
		},
	});

const listing = ({ db }: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.payouts.view"),
		method: "GET",
		url: "/payouts",
		schema: {
			summary: "Lists payouts, the newest first",
			tags,
			querystring: Type.Object({
				status: Type.Optional(PayoutStatusWire),
				batch_id: Type.Optional(Uuid),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(PayoutWire) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted, status, batch_id: batchId } = request.query;
			const query = { status, batchId, after: readKey(cursor, uuidForm), limit: limit + 1 };
			const { rows, ...total } = await inTenant(db, tenantOf(request).id, async (tx) => {
				const payouts = await listPayouts(tx, query);
				const approvals = await listApprovals(
					tx,
					payouts.map(({ id }) => id),
				);
				return {
					rows: payouts.map((payout) => toPayoutWire(payout, approvals)),
					...(await totalOf(tx, isCounted, (all, page) => listPayouts(all, { ...query, ...page }))),
				};
			});
			return { ...pageBy(rows, { limit, toWire: (payout) => payout, keyOf: ({ id }) => id }), ...total };
		},
	});

const showing = (domain: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.payouts.view"),
		method: "GET",
		url: "/payouts/:id",
		schema: {
			summary: "Returns a payout with its lines and the decisions about it",
			tags,
			params: Params,
			response: { 200: PayoutWire },
		},
		handler: (request) => showPayout(domain, { tenantId: tenantOf(request).id, id: request.params.id }),
	});

const approving = (domain: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.payouts.manage"),
		method: "POST",
		url: "/payouts/:id/approve",
		schema: {
			summary: "Approves a payout that waits for it, as another person than the one who asked for it",
			tags,
			params: Params,
			response: { 200: PayoutWire, 403: FailureBody, 409: FailureBody },
		},
		handler: async (request) => {
			const about = { tenantId: tenantOf(request).id, id: request.params.id };
			await approvePayout(domain, { ...about, payoutId: about.id, by: byOf(request) });
			return showPayout(domain, about);
		},
	});

const rejecting = (domain: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.payouts.manage"),
		method: "POST",
		url: "/payouts/:id/reject",
		schema: {
			summary: "Rejects a payout before it is sent; what it holds is available again",
			tags,
			params: Params,
			body: Shape({ because: Line(300) }),
			response: { 200: PayoutWire, 403: FailureBody, 409: FailureBody },
		},
		handler: async (request) => {
			const about = { tenantId: tenantOf(request).id, id: request.params.id };
			const { because } = request.body;
			await rejectPayout(domain, { ...about, payoutId: about.id, by: byOf(request), because });
			return showPayout(domain, about);
		},
	});

const cancelling = (domain: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.payouts.manage"),
		method: "POST",
		url: "/payouts/:id/cancel",
		schema: {
			summary: "Cancels a payout before it is sent; what it holds is available again",
			tags,
			params: Params,
			response: { 200: PayoutWire, 409: FailureBody },
		},
		handler: async (request) => {
			const about = { tenantId: tenantOf(request).id, id: request.params.id };
			await cancelPayout(domain, { ...about, payoutId: about.id, by: byOf(request) });
			return showPayout(domain, about);
		},
	});

const byOf = (request: Parameters<typeof callerOf>[0]) => ({
	...{ actor: actorOf(callerOf(request)), ...originOf(request) },
});
