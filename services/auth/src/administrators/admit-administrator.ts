import { type Caller, callOf, chassisFailures, keyRequired, rulesOf, type Step } from "@lango/chassis";
import { permissionsOf } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { recordAudit } from "../audit/audit.store.ts";
import { originOf } from "../audit/origin.ts";
import { failures } from "../failures.ts";
import { isPlatformOwner } from "../memberships/platform-owner.ts";
import { sessionOf } from "../sessions/grant/session.store.ts";
import { type AdministratorState, findAdministrator } from "./administrator.store.ts";

type Request = Parameters<Step>[0];

/** The administrator, with their current roles and not with those in the token. */
export type Administrator = { userId: string; roles: readonly string[]; isPlatformOwner: boolean };

const administrators = new WeakMap<Request, Administrator>();

/**
 * The administrator in a route that requires a canonical permission. Throws an Error in any other route: a
 * bug.
 */
export function administratorOf(request: Request): Administrator {
	const administrator = administrators.get(request);
	if (administrator === undefined)
		throw new Error(`${request.routeOptions.url} has no administrator because it requires no permission`);
	return administrator;
}

/** Permissions to administer the platform. They have no effect outside the platform owner's tenant. */
const platformCodes: ReadonlySet<string> = new Set(["auth.clients.manage", "auth.tenants.manage"]);

const slugForm = /^[a-z0-9-]{2,63}$/;

export type AdmitOptions = { db: Database; now: () => Date; platformOwnerSlug: string };

/**
 * The step that admits administrators (spec §5.8, §5.9). It checks the database and not the token, because
 * a token outlives its session, the membership and the role. Another tenant than the caller's is not found.
 * The platform owner can access all tenants, and each access is recorded in the audit log.
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
	const state = await findAdministratorState(options, asking.caller, slug);
	const { roles, home, tenant } = state;
	const isOwner = isPlatformOwner({ tenantSlug: home.slug, roles }, platformOwnerSlug);
	if (slug !== undefined && (tenant === undefined || (tenant.id !== home.id && !isOwner)))
		throw failures.tenant_not_found();
	if (!mayUse(asking.code, { roles, isPlatformOwner: isOwner })) throw chassisFailures.forbidden();
	administrators.set(request, { userId: state.userId, roles, isPlatformOwner: isOwner });
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

/** The role in the token may have been revoked since. */
async function admitOwner(options: AdmitOptions, caller: Caller): Promise<void> {
	const { roles, home } = await findAdministratorState(options, caller, undefined);
	if (!isPlatformOwner({ tenantSlug: home.slug, roles }, options.platformOwnerSlug))
		throw chassisFailures.forbidden();
}

type Asking = { caller: Caller; code: string | undefined };

async function findAdministratorState(
	{ db, now }: AdmitOptions,
	caller: Caller,
	slug: string | undefined,
): Promise<AdministratorState> {
	if (caller.kind !== "user") throw chassisFailures.forbidden();
	if (slug !== undefined && !slugForm.test(slug)) throw failures.tenant_not_found();
	const session = sessionOf(caller.claims);
	const state = session && (await findAdministrator(db, { ...session, slug, now: now() }));
	if (state?.userId !== caller.userId) throw failures.session_ended();
	requireActive(state);
	return state;
}

function mayUse(
	code: string | undefined,
	{ roles, isPlatformOwner: isOwner }: Pick<Administrator, "roles" | "isPlatformOwner">,
): boolean {
	if (code === undefined || (platformCodes.has(code) && !isOwner)) return false;
	return permissionsOf(roles).some((held) => held === code);
}

function requireActive({ userStatus, membershipStatus, home }: AdministratorState): void {
	if (membershipStatus === null || userStatus === "disabled" || userStatus === "deleted")
		throw failures.session_ended();
	if (home.status !== "active") throw failures.tenant_inactive();
	if (userStatus !== "active" || membershipStatus !== "active") throw chassisFailures.account_pending();
}
