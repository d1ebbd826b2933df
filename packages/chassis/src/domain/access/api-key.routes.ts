import {
	createApiKey,
	createPlatformKey,
	endApiKey,
	endPlatformKey,
	type KeyChange,
	type ListedApiKey,
	listApiKeys,
	UnknownToAccess,
} from "@lango/access";
import {
	canonicalPermissions,
	FailureBody,
	Name,
	Page,
	PageQuery,
	Shape,
	TotalQuery,
	tokenOutletsMax,
	Uuid,
} from "@lango/contracts";
import { mintApiKey } from "@lango/tokens";
import type { FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import { actorOf, originOf } from "../../request/actor.ts";
import { callerOf, requireInScope, scopeOf, tenantOf, type UserCaller } from "../../request/call.ts";
import { chassisFailures } from "../../request/failure.ts";
import { numberForm, pageOf, readCursor } from "../../request/paging.ts";
import { permit, type Route, route } from "../../request/route.ts";
import { totalOf } from "../../request/total.store.ts";
import type { Domain } from "../assembly/domain.ts";
import { domainFailures } from "../assembly/failures.ts";
import { listIn } from "./list-in.ts";
import { requireRight, rightsOf } from "./own-rights.ts";
import { endOf, notThere, refusing, requireDeclared } from "./refuse.ts";
import { Codes } from "./role.routes.ts";

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });
const idForm = /^[A-Za-z0-9]{8,32}$/;

const Key = {
	id: Type.String(),
	tenant_id: OrNull(Type.String({ format: "uuid", description: "Null: good for all tenants" })),
	name: Type.String(),
	permissions: Type.Array(Type.String()),
	outlet_ids: OrNull(
		Type.Array(Uuid, {
			description: "Null: every outlet. At each use the key has those of them that its creator has, too",
		}),
	),
	created_by: OrNull(Type.String()),
	created_by_name: OrNull(
		Type.String({
			description:
				"The name of the person whose present rights and outlets limit the key; null: the key is not limited by a person",
		}),
	),
	created_at: DateTime,
	expires_at: OrNull(DateTime),
	revoked_at: OrNull(DateTime),
	last_used_at: OrNull(Type.String({ format: "date-time", description: "To the minute" })),
};

const ListedKey = Type.Object(Key);

/** API keys with which programs call this service (spec §5.6). */
export const apiKeyRoutes = (domain: Domain): readonly Route[] => [
	listRoute(domain),
	makeRoute(domain),
	revokeRoute(domain),
];

const listRoute = (domain: Domain) =>
	route({
		method: "GET",
		url: "/api-keys",
		access: permit(`${domain.name}.api_keys.view`),
		schema: {
			summary: "The keys of programs, the newest first; for the platform's owner, those of all tenants",
			querystring: Type.Object({ ...PageQuery, ...TotalQuery }),
			response: { 200: Page(ListedKey) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted } = request.query;
			const after = readCursor(cursor, [numberForm, idForm]);
			return listIn(domain, request, async (tx, tenantId) => ({
				...pageOf(await listApiKeys(tx, { tenantId, after, limit: limit + 1 }), {
					...{ limit, toWire, placeOf: ({ at, id }) => [at, id] },
				}),
				...(await totalOf(tx, isCounted, (all, page) => listApiKeys(all, { tenantId, ...page }))),
			}));
		},
	});

const makeRoute = (domain: Domain) =>
	route({
		method: "POST",
		url: "/api-keys",
		access: permit(`${domain.name}.api_keys.manage`),
		schema: {
			summary:
				"Creates a key and returns it once. At each use the key has no more permissions and outlets than its creator has then, and it ends with the creator's membership. Only people create keys",
			body: Shape({
				name: Name(200),
				permissions: Codes,
				expires_at: Type.Optional(OrNull(DateTime)),
				outlet_ids: Type.Optional(
					OrNull(
						Type.Array(Uuid, {
							maxItems: tokenOutletsMax,
							description:
								"The outlets whose rows it sees and changes, within the maker's; null: every one. Left out: the maker's",
						}),
					),
				),
				all_tenants: Type.Optional(
					Type.Boolean({ description: "Good for all tenants; only the platform's owner makes such keys" }),
				),
			}),
			response: {
				201: Type.Object({ ...Key, key: Type.String({ description: "lk_<id>_<secret>" }) }),
				409: FailureBody,
			},
		},
		handler: async (request, reply) => {
			const caller = requirePerson(request);
			const { name, permissions, expires_at, all_tenants: isForAll = false } = request.body;
			const change = changeOf(domain, request);
			requireDeclared(domain, permissions, canonicalPermissions);
			const expiresAt = endOf(expires_at, change.now);
			requireOwnRights(request, permissions, expiresAt ?? null);
			const outletIds = outletsFor(request);
			const { id, secretHash, text } = mintApiKey();
			const { id: tenantId } = tenantOf(request);
			const key = {
				id,
				secretHash,
				name,
				permissions,
				createdBy: change.by.id,
				creatorId: creatorOf(caller, request, domain),
				...(expiresAt !== undefined && { expiresAt }),
				...(outletIds !== null && { outletIds }),
			};
			if (isForAll) requirePlatformKey(request, domain, outletIds);
			await refusing(() =>
				isForAll
					? createPlatformKey(domain.db, key, change)
					: createApiKey(domain.db, { ...key, tenantId }, change),
			);
			const createdByName = key.creatorId === undefined ? null : (caller.claims.name ?? null);
			const by = { createdBy: change.by.id, createdByName };
			const made = { id, name, permissions, outletIds, tenantId: isForAll ? null : tenantId, ...by };
			const times = {
				createdAt: change.now,
				expiresAt: expiresAt ?? null,
				revokedAt: null,
				lastUsedAt: null,
			};
			return reply.code(201).send({ ...toWire({ ...made, ...times }), key: text });
		},
	});

const revokeRoute = (domain: Domain) =>
	route({
		method: "DELETE",
		url: "/api-keys/:id",
		access: permit(`${domain.name}.api_keys.manage`),
		schema: {
			summary: "Revokes a key; it is refused from then on",
			params: Type.Object({ id: Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" }) }),
			response: { 204: Type.Null() },
		},
		handler: async (request, reply) => {
			const { id } = request.params;
			const change = changeOf(domain, request);
			const own = { tenantId: tenantOf(request).id, id };
			if (!idForm.test(id)) throw notThere("api_key");
			await refusing(async () => {
				if (!isOfPlatform(request, domain)) return endApiKey(domain.db, own, change);
				return endEither(domain, own, change);
			});
			return reply.code(204).send(null);
		},
	});

/** The platform's own tenant has its own keys and the keys for all tenants. */
async function endEither(
	{ db }: Domain,
	own: { tenantId: string; id: string },
	change: KeyChange,
): Promise<void> {
	await endPlatformKey(db, own.id, change).catch((error) => {
		if (error instanceof UnknownToAccess) return endApiKey(db, own, change);
		throw error;
	});
}

/** Throws unless a key for all tenants is created by the platform owner, for every outlet. */
function requirePlatformKey(request: FastifyRequest, domain: Domain, outletIds: string[] | null): void {
	if (!isOfPlatform(request, domain)) throw chassisFailures.forbidden({ fields: { field: "all_tenants" } });
	if (outletIds !== null)
		throw chassisFailures.invalid_input({
			message: "A key for all tenants is for every outlet.",
			fields: { field: "outlet_ids", in: "body" },
		});
}

/** Whether the platform owner names the platform's own tenant. */
function isOfPlatform(request: FastifyRequest, { settings }: Domain): boolean {
	const caller = callerOf(request);
	return (
		caller.kind === "user" && caller.isPlatformOwner && tenantOf(request).slug === settings.platformOwnerSlug
	);
}

/**
 * Keys are limited by the present rights of the person who created them. Throws 403 `person_required` for
 * API keys and programs.
 */
function requirePerson(request: FastifyRequest): UserCaller {
	const caller = callerOf(request);
	if (caller.kind !== "user") throw domainFailures.person_required();
	return caller;
}

/**
 * The person whose present rights limit a new key; undefined for a platform owner who visits a tenant: such
 * a key is not limited.
 */
function creatorOf(
	{ claims, isPlatformOwner, userId }: UserCaller,
	request: FastifyRequest,
	{ settings }: Domain,
): string | undefined {
	const { id, slug } = tenantOf(request);
	const isAtHome = claims.tenant_id?.toLowerCase() === id;
	const isOfPlatformItself = isPlatformOwner && slug === settings.platformOwnerSlug;
	return isAtHome || isOfPlatformItself ? userId.toLowerCase() : undefined;
}

/** A key applies in the whole tenant, so creating or revoking one needs the right in the whole tenant. */
function changeOf({ name, now }: Domain, request: FastifyRequest): KeyChange {
	requireRight(request, `${name}.api_keys.manage`);
	return { by: actorOf(callerOf(request)), now: now(), ...originOf(request) };
}

/** The caller must hold the permissions of a new key, for at least as long as the key is valid. */
function requireOwnRights(request: FastifyRequest, permissions: readonly string[], until: Date | null): void {
	const may = rightsOf(request, { until });
	const missing = permissions.filter((code) => !may(code)).sort();
	if (missing.length > 0)
		throw domainFailures.exceeds_own_rights({ fields: { missing: missing.slice(0, 50) } });
}

/**
 * The outlets of a new key; null means every outlet. Defaults to the outlets of the creator. Throws 403
 * `outlet_forbidden` if it names an outlet outside of them.
 */
function outletsFor(request: FastifyRequest<{ Body: { outlet_ids?: string[] | null } }>): string[] | null {
	const scope = scopeOf(request);
	const { outlet_ids: named = scope === "all" ? null : [...scope] } = request.body;
	for (const outletId of named ?? [null]) requireInScope(request, outletId, "outlet_ids");
	return named === null ? null : [...new Set(named.map((id) => id.toLowerCase()))].sort();
}

function toWire({ id, name, permissions, outletIds, ...key }: ListedApiKey): Static<typeof ListedKey> {
	return {
		id,
		name,
		permissions: [...permissions],
		outlet_ids: outletIds && [...outletIds],
		tenant_id: key.tenantId,
		created_by: key.createdBy,
		created_by_name: key.createdByName,
		created_at: key.createdAt.toISOString(),
		expires_at: key.expiresAt?.toISOString() ?? null,
		revoked_at: key.revokedAt?.toISOString() ?? null,
		last_used_at: key.lastUsedAt?.toISOString() ?? null,
	};
}
