import { isUuid } from "@lango/postgres";
import type { Tenancy, Tenant } from "@lango/tenancy";
import type { FastifyRequest } from "fastify";
import { type Call, type Caller, callOf } from "../../request/call.ts";
import { chassisFailures } from "../../request/failure.ts";
import { rulesOf, type Step } from "../../request/route.ts";
import { domainFailures } from "../assembly/failures.ts";
import { findOwnTenant, foundOrRefused } from "./find-tenant.ts";
import { notePass } from "./record-passes.ts";

export type ResolveTenantOptions = {
	tenancy: Tenancy;
	/** The tenant whose superusers own the platform. */
	platformOwnerSlug: string;
};

const reads: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/**
 * The step that determines the tenant of a request (spec §4.3): by the path, else X-Tenant-ID, else
 * X-Tenant-Slug, else the token. Another tenant is not found. The platform owner may use any tenant, and
 * name one by `tenantId` under the platform's own address. Refuses with 400, 404, or 403
 * `tenant_inactive`.
 */
export function resolveTenantWith({ tenancy, platformOwnerSlug }: ResolveTenantOptions): Step {
	const resolve = async (named: TenantName, addressed: Addressed) =>
		admit(await findSettled(tenancy, named, addressed.call.caller), addressed);
	return (request) => {
		const headerId = headerIdOf(request);
		// Routes for the platform owner only concern the service itself.
		if (rulesOf(request)?.access.kind === "platform_owner") return undefined;
		const call = callOf(request);
		const named = nameOf(request, call.caller, headerId);
		if (named === undefined) return undefined;
		const addressed = { request, call, tenancy, platformOwnerSlug };
		const known = tenancy.peek(named);
		if (known === undefined || contradictionOf(known, call.caller) !== undefined)
			return resolve(named, addressed);
		return admit(known, addressed);
	};
}

/** Waits only for a tenant that the platform owner names in addition to the address. */
function admit(tenant: Tenant, addressed: Addressed): Promise<void> | void {
	requireOwn(tenant, addressed.call);
	const chosen = target(tenant, addressed);
	if (chosen instanceof Promise) return chosen.then((one) => enter(one, addressed.call));
	enter(chosen, addressed.call);
}

function enter(tenant: Tenant, call: Call): void {
	if (tenant.status !== "active" && !isPlatformOwner(call.caller)) throw domainFailures.tenant_inactive();
	const { id, slug, outletIsolation } = tenant;
	call.tenant = { id, slug, ...(outletIsolation === "open" && { outletIsolation }) };
}

type TenantName = { id: string } | { slug: string };

/**
 * Refuses a malformed or repeated X-Tenant-ID even where nothing depends on it: it is a mistake of the
 * client.
 */
function headerIdOf({ headers }: FastifyRequest): string | undefined {
	const { "x-tenant-id": headerId } = headers;
	if (headerId !== undefined && (typeof headerId !== "string" || !isUuid(headerId)))
		throw chassisFailures.invalid_input({
			message: "X-Tenant-ID is one UUID.",
			fields: { field: "x-tenant-id", in: "headers" },
		});
	return headerId;
}

function nameOf(
	request: FastifyRequest,
	caller: Caller | undefined,
	headerId: string | undefined,
): TenantName | undefined {
	const { "x-tenant-slug": headerSlug } = request.headers;
	const { tenant: inPath } = request.params as { tenant?: string };
	if (inPath !== undefined) return isUuid(inPath) ? { id: inPath } : { slug: inPath };
	if (headerId !== undefined) return { id: headerId };
	if (typeof headerSlug === "string") return { slug: headerSlug };
	if (caller?.kind === "key") return caller.tenantId === undefined ? undefined : { id: caller.tenantId };
	const id = caller?.claims.tenant_id;
	return id === undefined ? undefined : { id };
}

/** The slug in a token helps to find its own tenant if only the id is named. */
function find(tenancy: Tenancy, named: TenantName, caller: Caller | undefined): Promise<Tenant> {
	if ("slug" in named) return foundOrRefused(tenancy.findBySlug(named.slug));
	if (
		caller !== undefined &&
		caller.kind !== "key" &&
		caller.claims.tenant_id?.toLowerCase() === named.id.toLowerCase()
	)
		return findOwnTenant(tenancy, caller.claims);
	return foundOrRefused(tenancy.findById(named.id));
}

/**
 * If a token names the tenant by this slug and by another id, the sign-on service is asked for the owner of
 * the slug, and the local copy follows the answer. Refused with 404 if it does not confirm the token, with
 * 503 if it is unavailable.
 */
async function findSettled(tenancy: Tenancy, named: TenantName, caller: Caller | undefined): Promise<Tenant> {
	const found = await find(tenancy, named, caller);
	const other = contradictionOf(found, caller);
	if (other === undefined) return found;
	await foundOrRefused(tenancy.reconcile(other.slug, other.id));
	return find(tenancy, named, caller);
}

/** The slug and the other id in the caller's token; undefined if they do not contradict the tenant. */
function contradictionOf(
	found: Tenant,
	caller: Caller | undefined,
): { slug: string; id: string } | undefined {
	if (caller === undefined || caller.kind === "key") return undefined;
	const { tenant_id: id, tenant_slug: slug } = caller.claims;
	if (id === undefined || slug !== found.slug || id.toLowerCase() === found.id) return undefined;
	return { slug, id };
}

/** Programs without a tenant may use all tenants; open routes have no caller. */
function requireOwn(tenant: Tenant, call: Call): void {
	const { caller } = call;
	if (caller === undefined) return;
	const own = caller.kind === "key" ? caller.tenantId : caller.claims.tenant_id;
	if (own?.toLowerCase() === tenant.id || (own === undefined && caller.kind !== "user")) return;
	if (isPlatformOwner(caller)) {
		notePass(call, "tenant");
		return;
	}
	throw chassisFailures.tenant_not_found();
}

type Addressed = { request: FastifyRequest; call: Call } & ResolveTenantOptions;

/**
 * Under the platform's own address, its owner names a tenant by `tenantId`. Elsewhere it may only repeat
 * the tenant of the address.
 */
function target(
	addressed: Tenant,
	{ request, call, tenancy, platformOwnerSlug }: Addressed,
): Tenant | Promise<Tenant> {
	const { tenantId } = request.query as { tenantId?: unknown };
	if (tenantId !== undefined && (typeof tenantId !== "string" || !isUuid(tenantId)))
		throw chassisFailures.invalid_input({
			message: "tenantId is one UUID.",
			fields: { field: "tenantId", in: "query" },
		});
	if (isPlatformOwner(call.caller) && addressed.slug === platformOwnerSlug) {
		if (tenantId === undefined) return acrossTenants(addressed, request, call);
		return find(tenancy, { id: tenantId }, call.caller).then((chosen) => {
			if (chosen.id !== addressed.id) notePass(call, "tenant");
			return chosen;
		});
	}
	if (tenantId !== undefined && tenantId.toLowerCase() !== addressed.id)
		throw chassisFailures.invalid_input({
			message: "tenantId is another tenant than the address names.",
			fields: { field: "tenantId", in: "query" },
		});
	return addressed;
}

function acrossTenants(platform: Tenant, { method }: FastifyRequest, call: Call): Tenant {
	if (!reads.has(method)) throw chassisFailures.tenant_required();
	call.isAcrossTenants = true;
	return platform;
}

const isPlatformOwner = (caller: Caller | undefined) => caller?.kind === "user" && caller.isPlatformOwner;
