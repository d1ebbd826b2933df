import { type Caller, callOf, chassisFailures, keyRequired, rulesOf, type Step } from "@lango/chassis";
import { permissionsOf } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { recordAudit } from "../audit/audit.store.ts";
import { originOf } from "../audit/origin.ts";
import { failures } from "../failures.ts";
import { isPlatformOwner } from "../memberships/platform-owner.ts";
import { findAdministrator, type Standing } from "./administrator.store.ts";

type Request = Parameters<Step>[0];

/** Who administers: as of now, not as of when the token was made. */
export type Administrator = { userId: string; roles: readonly string[]; isPlatformOwner: boolean };

const administrators = new WeakMap<Request, Administrator>();

/** The administrator of a route that asks for a canonical permission. Throws an Error on any other: a bug of the route. */
export function administratorOf(request: Request): Administrator {
	const administrator = administrators.get(request);
	if (administrator === undefined)
		throw new Error(`${request.routeOptions.url} has no administrator: it asks for no permission`);
	return administrator;
}

/** Codes by which the platform itself is administered. They are worth nothing outside the platform's own tenant. */
const platformCodes: ReadonlySet<string> = new Set(["auth.clients.manage", "auth.tenants.manage"]);

const slugForm = /^[a-z0-9-]{2,63}$/;

export type AdmitOptions = { db: Database; now: () => Date; platformOwnerSlug: string };

/**
 * The step that lets administrators in (spec §5.8, §5.9). What counts is the database: a token outlives the session that
 * was revoked, the membership that was removed and the role that was taken. Another tenant than one's own is not found;
 * the platform owner reaches all, and each time leaves an audit row.
 */
export function admitAdministrators(options: AdmitOptions): Step {
	return async (request) => {
		const { caller } = callOf(request);
		const access = rulesOf(request)?.access;
		if (caller === undefined || access === undefined) return;
		if (access.kind === "api_key" && !(caller.kind === "key" && caller.permissions.includes(access.purpose)))
			throw keyRequired(access.purpose);
		if (access.kind === "platform_owner") await admitOwner(options, caller);
		if (access.kind === "permit") await admit(options, request, { caller, code: access.canonical });
	};
}

async function admit(options: AdmitOptions, request: Request, asking: Asking): Promise<void> {
	const { db, now, platformOwnerSlug } = options;
	const { slug } = request.params as { slug?: string };
	const standing = await findStanding(options, asking.caller, slug);
	const { roles, home, tenant } = standing;
	const isOwner = isPlatformOwner({ tenantSlug: home.slug, roles }, platformOwnerSlug);
	if (slug !== undefined && (tenant === undefined || (tenant.id !== home.id && !isOwner)))
		throw failures.tenant_not_found();
	if (!mayUse(asking.code, { roles, isPlatformOwner: isOwner })) throw chassisFailures.forbidden();
	administrators.set(request, { userId: standing.userId, roles, isPlatformOwner: isOwner });
	if (tenant === undefined) return;
	callOf(request).tenant = { id: tenant.id, slug: tenant.slug };
	if (tenant.id !== home.id)
		await recordAudit(db, originOf(request, now()), {
			tenantId: tenant.id,
			action: "access.passed",
			subject: `${request.method} ${request.routeOptions.url}`,
			after: { passed: ["tenant"] },
		});
}

/** The role in the token may have been taken since. */
async function admitOwner(options: AdmitOptions, caller: Caller): Promise<void> {
	const { roles, home } = await findStanding(options, caller, undefined);
	if (!isPlatformOwner({ tenantSlug: home.slug, roles }, options.platformOwnerSlug))
		throw chassisFailures.forbidden();
}

type Asking = { caller: Caller; code: string | undefined };

async function findStanding(
	{ db, now }: AdmitOptions,
	caller: Caller,
	slug: string | undefined,
): Promise<Standing> {
	if (caller.kind !== "user") throw chassisFailures.forbidden();
	if (slug !== undefined && !slugForm.test(slug)) throw failures.tenant_not_found();
	const { sid: sessionId } = caller.claims;
	const standing =
		sessionId === undefined ? undefined : await findAdministrator(db, { sessionId, slug, now: now() });
	if (standing?.userId !== caller.userId) throw failures.session_ended();
	requireActive(standing);
	return standing;
}

function mayUse(
	code: string | undefined,
	{ roles, isPlatformOwner: isOwner }: Pick<Administrator, "roles" | "isPlatformOwner">,
): boolean {
	if (code === undefined || (platformCodes.has(code) && !isOwner)) return false;
	return permissionsOf(roles).some((held) => held === code);
}

function requireActive({ userStatus, membershipStatus, home }: Standing): void {
	if (membershipStatus === null || userStatus === "disabled" || userStatus === "deleted")
		throw failures.session_ended();
	if (home.status !== "active") throw failures.tenant_inactive();
	if (userStatus !== "active" || membershipStatus !== "active") throw chassisFailures.account_pending();
}
