import { permit, type Route, route } from "@lango/chassis";
import { FailureBody, products, Subscription, Uuid } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import Type from "typebox";
import { originOf, recordAuditEntry } from "../audit/origin.ts";
import { failures } from "../failures.ts";
import { type ChangeParts, changeSubscription, type Work } from "../record/change-subscription.ts";
import { platformRight } from "../rights.ts";
import { grantDays } from "../rules/changes/cancel.ts";
import { snapshotAt } from "../rules/lifecycle/state.ts";
import type { Overrides } from "../rules/terms/terms.ts";
import { findGrant } from "./grant.store.ts";
import { findOverrides } from "./overrides.store.ts";
import { unknownCode } from "./unknown-code.ts";
import { listUnknownCodes } from "./version.store.ts";

const Params = Type.Object({ tenant_id: Uuid });
const Word = Type.String({ pattern: "^[a-z][a-z0-9_]{1,62}$" });
const Because = Type.String({ minLength: 1, maxLength: 500, description: "Reason, for the audit log" });
const IdempotencyKey = Type.String({
	pattern: "^[\\x21-\\x7e]{1,200}$",
	description: "A unique value chosen by the caller",
});
const closed = { additionalProperties: false };
const refusals = { "4xx": FailureBody, "5xx": FailureBody } as const;
const tags = ["platform"];
const none: Overrides = { features: {}, limits: {}, products: [] };

type Request = Parameters<typeof originOf>[0];

/** Overrides and granted time of one tenant, for the platform owner. */
export const tenantAdminRoutes = (changing: ChangeParts): readonly Route[] => [
	readRoute(changing),
	setRoute(changing),
	removeRoute(changing),
	grantRoute(changing),
];

const Entitled = {
	features: Type.Record(Word, Type.Boolean(), {
		maxProperties: 100,
		description: "Features to add or remove",
	}),
	limits: Type.Record(Word, Type.Integer({ minimum: -1, maximum: 2_147_483_647 }), { maxProperties: 100 }),
	products: Type.Array(Type.Enum(products, { type: "string" }), { uniqueItems: true, maxItems: 20 }),
};

const readRoute = ({ db }: ChangeParts): Route =>
	route({
		method: "GET",
		url: "/api/v1/admin/tenants/:tenant_id/overrides",
		access: permit(platformRight),
		schema: {
			summary: "Get the overrides of a tenant",
			tags,
			params: Params,
			response: { 200: Type.Object({ ...Entitled, products: Type.Array(Type.String()) }), ...refusals },
		},
		handler: async (request) => {
			const found = await findOverrides(db, request.params.tenant_id);
			if (found === undefined) throw failures.no_subscription();
			return { ...found, products: [...found.products] };
		},
	});

const setRoute = (changing: ChangeParts): Route =>
	route({
		method: "PUT",
		url: "/api/v1/admin/tenants/:tenant_id/overrides",
		access: permit(platformRight),
		schema: {
			summary: "Replace the overrides of a tenant",
			tags,
			params: Params,
			body: Type.Object({ ...Entitled, because: Because }, closed),
			response: { 200: Subscription, ...refusals },
		},
		handler: (request) => {
			const { because, ...overrides } = request.body;
			return done(changing, request, {
				tenantId: request.params.tenant_id,
				action: "overrides.set",
				detail: { after: overrides, because },
				work: async (subscription, { tx }) => {
					const codes = { features: Object.keys(overrides.features), limits: Object.keys(overrides.limits) };
					const [unknown] = await listUnknownCodes(tx, codes);
					if (unknown !== undefined) throw unknownCode(unknown);
					return {
						subscription: { ...subscription, overrides },
						announcements: [],
						result: subscription.overrides,
					};
				},
			});
		},
	});

const removeRoute = (changing: ChangeParts): Route =>
	route({
		method: "DELETE",
		url: "/api/v1/admin/tenants/:tenant_id/overrides",
		access: permit(platformRight),
		schema: {
			summary: "Remove the overrides of a tenant",
			tags,
			params: Params,
			response: { 200: Subscription, ...refusals },
		},
		handler: (request) =>
			done(changing, request, {
				tenantId: request.params.tenant_id,
				action: "overrides.removed",
				detail: {},
				work: async (subscription) => ({
					subscription: { ...subscription, overrides: none },
					announcements: [],
					result: subscription.overrides,
				}),
			}),
	});

const grantRoute = (changing: ChangeParts): Route =>
	route({
		method: "POST",
		url: "/api/v1/admin/tenants/:tenant_id/grants",
		access: permit(platformRight),
		schema: {
			summary: "Grant a tenant free time",
			description:
				"A trial or a paid period ends this many days later; an overdue or expired subscription becomes active for this many days. The same grant with the same Idempotency-Key by the same caller takes effect once.",
			tags,
			params: Params,
			headers: Type.Object({ "idempotency-key": Type.Optional(IdempotencyKey) }),
			body: Type.Object({ days: Type.Integer({ minimum: 1, maximum: 366 }), because: Because }, closed),
			response: { 200: Subscription, ...refusals },
		},
		handler: (request) => {
			const { days, because } = request.body;
			const key = request.headers["idempotency-key"];
			const grant = { actorId: originOf(request).actor.id, key, days, because };
			return done(changing, request, {
				tenantId: request.params.tenant_id,
				action: "time.granted",
				detail: { days, because, ...(key !== undefined && { idempotency_key: key }) },
				work: async (subscription, { tx, moment }) => {
					if (await isGranted(tx, grant)) return { subscription, announcements: [], result: alreadyGranted };
					return {
						subscription: grantDays(subscription, days, moment),
						announcements: [],
						result: subscription.expiresAt.toISOString(),
					};
				},
			});
		},
	});

type TenantAction = {
	tenantId: string;
	action: string;
	detail: Record<string, unknown>;
	work: Work<unknown>;
};

type Grant = { actorId: string; key: string | undefined; days: number; because: string };

/**
 * Whether the same grant was made with the same key. The subscription is locked, so concurrent requests wait.
 */
async function isGranted(tx: Database, { actorId, key, days, because }: Grant): Promise<boolean> {
	const earlier = key === undefined ? undefined : await findGrant(tx, { actorId, key });
	if (earlier === undefined) return false;
	if (earlier.days !== days || earlier.because !== because) throw failures.idempotency_key_reused();
	return true;
}

/** The result if the grant was already made: the audit log has its entry. */
const alreadyGranted = Symbol("already granted");

/** Changes a subscription and writes the audit log, including the previous value, in one transaction. */
async function done(
	changing: ChangeParts,
	request: Request,
	{ tenantId, action, detail, work }: TenantAction,
) {
	const { subscription, now } = await changing.db.transaction(async (tx) => {
		const which = { tenantId, correlationId: request.id };
		const changed = await changeSubscription({ ...changing, db: tx }, which, work);
		if (changed.result === alreadyGranted) return changed;
		const all = { ...detail, before: changed.result, version: changed.subscription.version };
		const entry = { tenantId, action, subject: tenantId, detail: all, at: changing.clock.now() };
		await recordAuditEntry(tx, originOf(request), entry);
		return changed;
	});
	return snapshotAt(subscription, now);
}
