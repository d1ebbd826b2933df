import { actorOf, callerOf, permit, type Route, route, tenantOf, tenantWide } from "@lango/chassis";
import { FailureBody, Shape, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import type { Treasury } from "../treasury.ts";
import { askGateway } from "./ask-gateway.ts";
import { queryFailures } from "./failures.ts";
import { findQuery } from "./query.store.ts";
import { QueryWire, toQueryWire } from "./query-wire.ts";

const tags = ["mobile money"];
const outlets = tenantWide("the shortcode is the tenant's");
const asked = { 202: QueryWire, 409: FailureBody, 503: FailureBody };

/** The routes that ask the mobile-money gateway about the tenant's shortcode. */
export const queryRoutes = (domain: Treasury): readonly Route[] => [
	askingBalance(domain),
	askingStatus(domain),
	showing(domain),
];

const askingBalance = (domain: Treasury): Route =>
	route({
		method: "POST",
		url: "/mobile-money/balance",
		access: permit("treasury.statements.view"),
		outlets,
		schema: {
			summary: "Asks the gateway for the balances of the tenant's shortcode",
			description:
				"The answer comes later: read the query. The first answer to the tenant's own initiator verifies the shortcode, which production needs.",
			tags,
			response: asked,
		},
		handler: async (request, reply) => {
			const tenantId = tenantOf(request).id;
			const createdBy = actorOf(callerOf(request));
			const about = { kind: "balance" } as const;
			const query = await askGateway(domain, { tenantId, shortcodeOf: tenantId, about, createdBy });
			return reply.code(202).send(toQueryWire(query, domain.now()));
		},
	});

const Receipt = Type.String({ pattern: "^[A-Z0-9]{6,20}$", examples: ["SGL91XYZ12"] });
const OriginatorId = Type.String({ pattern: "^[\\w-]{1,100}$" });

const askingStatus = (domain: Treasury): Route =>
	route({
		method: "POST",
		url: "/mobile-money/status",
		access: permit("treasury.payments.manage"),
		outlets,
		schema: {
			summary: "Asks the gateway what became of a transaction of the tenant's shortcode",
			description: "By its receipt, or by our id of its request. The answer comes later: read the query.",
			tags,
			body: Type.Union([Shape({ receipt: Receipt }), Shape({ originator_id: OriginatorId })]),
			response: asked,
		},
		handler: async (request, reply) => {
			const { body } = request;
			const about =
				"receipt" in body
					? ({ kind: "status", receipt: body.receipt } as const)
					: ({ kind: "status", originatorId: body.originator_id } as const);
			const tenantId = tenantOf(request).id;
			const createdBy = actorOf(callerOf(request));
			const query = await askGateway(domain, { tenantId, shortcodeOf: tenantId, about, createdBy });
			return reply.code(202).send(toQueryWire(query, domain.now()));
		},
	});

const showing = ({ db, now }: Treasury): Route =>
	route({
		method: "GET",
		url: "/mobile-money/queries/:id",
		access: permit("treasury.statements.view"),
		outlets,
		schema: {
			summary: "Returns a question to the gateway, with its answer",
			tags,
			params: Type.Object({ tenant: Type.String(), id: Uuid }),
			response: { 200: QueryWire, 404: FailureBody },
		},
		handler: async (request) => {
			const query = await inTenant(db, tenantOf(request).id, (tx) => findQuery(tx, request.params.id));
			if (query === undefined) throw queryFailures.query_not_found();
			return toQueryWire(query, now());
		},
	});
