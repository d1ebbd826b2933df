import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	chassisFailures,
	originOf,
	pageOf,
	platformOwner,
	type Route,
	readCursor,
	route,
	tenantWide,
	totalOf,
	uuidForm,
} from "@lango/chassis";
import { FailureBody, Page, PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import { acrossTenants } from "@lango/postgres";
import Type from "typebox";
import type { Treasury } from "../treasury.ts";
import { listHalts, placeOfHalt, switchHalt } from "./halt.store.ts";
import type { Halt } from "./halt.ts";

const tags = ["halts"];
const operator = { access: platformOwner(), outlets: tenantWide("halts are the platform's") };
const Scope = Type.Enum(["collections", "payouts", "refunds"], { type: "string" });
const Because = Type.String({ minLength: 1, maxLength: 300 });
const Halts = Page(
	Type.Object({
		scope: Scope,
		tenant_id: Type.Union([Uuid, Type.Null()], { description: "Null: every tenant" }),
		because: Because,
		set_by: Type.String(),
		set_at: Type.String({ format: "date-time" }),
	}),
);
const limitOf100 = Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 }));
const refusals = { 401: FailureBody, 403: FailureBody } as const;

const toWire = ({ scope, tenantId, because, setBy, setAt }: Halt) => ({
	...{ scope, tenant_id: tenantId ?? null, because, set_by: setBy, set_at: setAt.toISOString() },
});

type Query = { cursor?: string; limit?: number; total?: boolean };

async function listPage({ db }: Treasury, { cursor, limit = 50, total }: Query) {
	const [tenantId, scope] = readCursor(cursor, [uuidForm, /^[a-z]+$/]) ?? [];
	const after = tenantId === undefined || scope === undefined ? undefined : { tenantId, scope };
	const placeOf = (halt: Halt) => [placeOfHalt(halt).tenantId, halt.scope] as const;
	return acrossTenants(db, async (tx) => ({
		...pageOf(await listHalts(tx, { after, limit: limit + 1 }), { limit, toWire, placeOf }),
		...(await totalOf(tx, total, listHalts)),
	}));
}

/** The operator's kill switches: they stop sending, and never what is found out about what was sent. */
export const haltRoutes = (treasury: Treasury): readonly Route[] => [
	route({
		...operator,
		method: "GET",
		url: "/api/v1/platform/halts",
		schema: {
			summary: "Lists the halts that are on, those of every tenant first",
			tags,
			querystring: Type.Object({ cursor: PageQuery.cursor, limit: limitOf100, ...TotalQuery }),
			response: { 200: Halts, ...refusals },
		},
		handler: ({ query }) => listPage(treasury, query),
	}),
	route({
		...operator,
		subscription: { exempt: "the platform owner stops sending regardless of the tenant's subscription" },
		method: "PUT",
		url: "/api/v1/platform/halts",
		schema: {
			summary: "Stops or continues sending, for every tenant or for one",
			description:
				"What arrives is counted, and what was sent is still found out. Returns the first page of the halts that are on.",
			tags,
			body: Shape({ scope: Scope, tenant_id: Type.Optional(Uuid), is_on: Type.Boolean(), because: Because }),
			response: { 200: Halts, 404: FailureBody, ...refusals },
		},
		handler: async (request) => {
			const { db, now, tenancy } = treasury;
			const { scope, tenant_id: tenantId, is_on: isOn, because } = request.body;
			if (tenantId !== undefined && (await tenancy.findById(tenantId)) === undefined)
				throw chassisFailures.tenant_not_found();
			const actor = actorOf(callerOf(request));
			const setAt = now();
			await switchHalt(db, { scope, tenantId, isOn, because, setBy: actor.id, setAt }, (tx) =>
				recordAudit(tx, {
					...{ tenantId, at: setAt, actor, ...originOf(request) },
					...{ action: "halt.switched", subject: scope, detail: { is_on: isOn, because } },
				}),
			);
			return listPage(treasury, {});
		},
	}),
];
