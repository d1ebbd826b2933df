import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	originOf,
	pageBy,
	permit,
	platformOwner,
	type Route,
	readKey,
	route,
	tenantOf,
	tenantWide,
	totalOf,
	uuidForm,
} from "@lango/chassis";
import { FailureBody, Name, Page, PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import { acrossTenants, type Database, inTenant } from "@lango/postgres";
import Type, { type Static } from "typebox";
import { type DisputeQuery, findDispute, listDisputes, noteDispute } from "../../disputes/dispute.store.ts";
import type { Dispute } from "../../disputes/dispute.ts";
import {
	DisputeEndWire,
	DisputeStatusWire,
	DisputeWire,
	OperatorDisputeWire,
	toDisputeWire,
	toOperatorDisputeWire,
} from "../../disputes/dispute-wire.ts";
import { disputeFailures } from "../../disputes/failures.ts";
import type { Treasury } from "../../treasury.ts";
import { resolveDispute } from "./resolve-dispute.ts";

const common = { outlets: tenantWide("disputes are the tenant's") } as const;
const tags = ["disputes"];
const Params = Type.Object({ tenant: Type.String(), id: Uuid });

/** The routes of payments that payers dispute at their banks. */
export const disputeRoutes = (domain: Treasury): readonly Route[] => [
	listing(domain),
	showing(domain),
	noting(domain),
];

/** The disputes of all tenants, for the platform owner. */
export const operatorDisputeRoutes = (domain: Treasury): readonly Route[] => [
	listingAll(domain),
	resolving(domain),
];

const Listed = Type.Object({
	status: Type.Optional(DisputeStatusWire),
	cursor: PageQuery.cursor,
	limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
	...TotalQuery,
});

async function readPage<Wire>(
	tx: Database,
	{
		cursor,
		limit = 50,
		status,
		total: isCounted,
		tenantId,
	}: Static<typeof Listed> & Pick<DisputeQuery, "tenantId">,
	toWire: (dispute: Dispute) => Wire,
) {
	const of = { tenantId, status };
	const found = await listDisputes(tx, { ...of, after: readKey(cursor, uuidForm), limit: limit + 1 });
	return {
		...pageBy(found, { limit, toWire, keyOf: ({ id }) => id }),
		...(await totalOf(tx, isCounted, (all, page) => listDisputes(all, { ...of, ...page }))),
	};
}

const listingAll = ({ db }: Treasury): Route =>
	route({
		access: platformOwner(),
		outlets: tenantWide("the platform owner answers the disputes of all tenants"),
		method: "GET",
		url: "/api/v1/platform/disputes",
		schema: {
			summary: "Lists disputes of all tenants with their notes, the newest first",
			description:
				"Answer them at the card gateway, before due_at. One that is overdue is also an exception of the class status.",
			tags,
			querystring: Listed,
			response: { 200: Page(OperatorDisputeWire) },
		},
		handler: async (request) => {
			return acrossTenants(db, (tx) =>
				readPage(tx, { ...request.query, tenantId: undefined }, toOperatorDisputeWire),
			);
		},
	});

const resolving = (domain: Treasury): Route =>
	route({
		access: platformOwner(),
		outlets: tenantWide("disputes are decided by the platform"),
		subscription: { exempt: "the platform owner decides regardless of the tenant's subscription" },
		method: "POST",
		url: "/api/v1/platform/disputes/:id/resolve",
		schema: {
			summary: "Says how a dispute that is overdue has ended",
			description:
				"For one about which the gateway does not say how it ended, when it is asked. Takes two operators: after the first one the dispute has proposed_as, and another one sends the same within 24 hours.",
			tags,
			params: Type.Object({ id: Uuid }),
			body: Shape({ as: DisputeEndWire, because: Name(300) }),
			response: { 200: OperatorDisputeWire, 403: FailureBody, 404: FailureBody, 409: FailureBody },
		},
		handler: async (request) => {
			const { as, because } = request.body;
			const by = { actor: actorOf(callerOf(request)), ...originOf(request) };
			const { id: disputeId } = request.params;
			return toOperatorDisputeWire(await resolveDispute(domain, { disputeId, as, because, by }));
		},
	});

const listing = ({ db }: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.disputes.view"),
		method: "GET",
		url: "/disputes",
		schema: {
			summary: "Lists payments that payers dispute, the newest first",
			tags,
			querystring: Listed,
			response: { 200: Page(DisputeWire) },
		},
		handler: async (request) => {
			const { id: tenantId } = tenantOf(request);
			return inTenant(db, tenantId, (tx) => readPage(tx, { ...request.query, tenantId }, toDisputeWire));
		},
	});

const showing = ({ db }: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.disputes.view"),
		method: "GET",
		url: "/disputes/:id",
		schema: {
			summary: "Returns a dispute",
			description: "Its money is held until it is decided. The platform owner answers it at the gateway.",
			tags,
			params: Params,
			response: { 200: DisputeWire },
		},
		handler: async (request) => {
			const found = await inTenant(db, tenantOf(request).id, (tx) => findDispute(tx, request.params.id));
			if (found === undefined) throw disputeFailures.dispute_not_found();
			return toDisputeWire(found);
		},
	});

const noting = ({ db, now }: Treasury): Route =>
	route({
		...common,
		access: permit("treasury.disputes.change"),
		method: "PUT",
		url: "/disputes/:id/note",
		schema: {
			summary: "Sets what the tenant says about a dispute",
			description: "For the platform owner, who answers it at the gateway.",
			tags,
			params: Params,
			body: Shape({ text: Name(2_000) }),
			response: { 200: DisputeWire },
		},
		handler: async (request) => {
			const { id: tenantId } = tenantOf(request);
			const { id } = request.params;
			const noted = await inTenant(db, tenantId, async (tx) => {
				const changed = await noteDispute(tx, id, request.body.text);
				if (changed === undefined) throw disputeFailures.dispute_not_found();
				await recordAudit(tx, {
					...{ tenantId, at: now(), actor: actorOf(callerOf(request)), ...originOf(request) },
					...{ action: "dispute.noted", subject: id, detail: {} },
				});
				return changed;
			});
			return toDisputeWire(noted);
		},
	});
