import { chassisFailures } from "@lango/chassis";
import type { Joined, Registration } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { sendFirstLink, showLink } from "../links/send-link.ts";
import { announceNewUser } from "../members/announce-user.ts";
import { requireStrongPassword } from "../passwords/password-rule.ts";
import { requesterOf } from "../passwords/requester.ts";
import { lockTenant, type Tenant } from "../tenants/tenant.store.ts";
import { foldEmail } from "../users/email.ts";
import { authenticateWithoutTenant } from "./authenticate-without-tenant.ts";
import { type Entered, enterTenant } from "./enter-tenant.ts";
import { foundFurther } from "./found-further.ts";
import { recordFounding, settleFounder } from "./found-tenant.ts";
import { join } from "./join.ts";
import { findJoinTarget, type JoinTarget } from "./join-target.ts";
import { isEmailTaken, recordUser } from "./registration.store.ts";
import { countingTaken, emailTaken, type NewTenant, requireFreeNames } from "./taken.ts";

const tenantSlugOf = ({ organization, tenant_slug }: Registration) => organization?.slug ?? tenant_slug;
const requesterFor = (body: Registration, ip: string) =>
	requesterOf({ email: body.email, ip, tenantSlug: tenantSlugOf(body) });

type Way = { found: NewTenant } | { target: JoinTarget };

type Needs = Pick<Dependencies, "db" | "failureCount" | "hashing" | "limits" | "links" | "log" | "settings">;

/**
 * Registers a user (spec §4.1) as the administrator of a new tenant, or in an existing one. Everything is
 * written in one transaction, with its events. Throws `password_weak`, `slug_reserved`, `slug_taken`,
 * `name_reserved`, `email_taken`, and the failures of `findJoinTarget` and `enterTenant`. Errors that
 * reveal that a name is taken are limited by IP address.
 */
export async function register(dependencies: Needs, body: Registration, origin: Origin): Promise<Joined> {
	const { limits, hashing } = dependencies;
	return countingTaken(limits, origin.ip, async () => {
		await limits.registrations.take(origin.ip);
		requireStrongPassword(body.password, { email: body.email, field: "password" });
		const way = await findWay(dependencies, body, origin.now);
		if (await isEmailTaken(dependencies.db, foldEmail(body.email)))
			return registerAgain(dependencies, { body, way, origin });
		const passwordHash = await hashing.withShare(requesterFor(body, origin.ip), (share) =>
			share.hash(body.password),
		);
		return record(dependencies, { body, passwordHash, way, origin });
	});
}

/**
 * A user without any membership cannot sign in, so they register again with their existing password. For
 * every other user the address is taken; they sign in instead.
 */
async function registerAgain(
	dependencies: Needs,
	{ body, way, origin }: { body: Registration; way: Way; origin: Origin },
): Promise<Joined> {
	const { email, password, tenant_slug: tenantSlug, invitation, requested_role: requestedRole } = body;
	const userId = await authenticateWithoutTenant(dependencies, {
		email,
		password,
		ip: origin.ip,
		tenantSlug: tenantSlugOf(body),
	});
	if (userId === undefined) throw emailTaken();
	const by = { ...origin, actorUserId: userId };
	if ("found" in way) return foundFurther(dependencies, { userId, organization: way.found }, by);
	return join(dependencies, { userId, tenantSlug, invitation, requestedRole }, by);
}

async function findWay(dependencies: Needs, body: Registration, now: Date): Promise<Way> {
	const { organization: found, tenant_slug, invitation, requested_role } = body;
	if (body.org_action === "join_existing") {
		if (found !== undefined) throw notTogether("organization", "join_existing");
		const input = {
			tenantSlug: tenant_slug,
			invitation,
			requestedRole: requested_role,
			emailFolded: foldEmail(body.email),
			now,
		};
		return { target: await findJoinTarget(dependencies, input) };
	}
	for (const [field, value] of Object.entries({ tenant_slug, invitation, requested_role }))
		if (value !== undefined) throw notTogether(field, "create_new");
	if (found === undefined)
		throw chassisFailures.invalid_input({
			message: "organization is missing. A new tenant needs a name and a slug.",
			fields: { field: "organization", in: "body" },
		});
	await requireFreeNames(dependencies, found);
	return { found };
}

const notTogether = (field: string, action: string) =>
	chassisFailures.invalid_input({
		message: `${field} cannot be combined with org_action ${action}.`,
		fields: { field, in: "body" },
	});

type Recording = { body: Registration; passwordHash: string; way: Way; origin: Origin };

async function record(dependencies: Needs, { body, passwordHash, way, origin }: Recording): Promise<Joined> {
	const email = body.email.trim();
	const name = body.name.trim();
	const { joined, link } = await dependencies.db.transaction(async (outer) => {
		const tenant = "found" in way ? await recordFounding(outer, way.found) : way.target.tenant;
		return inTenant(outer, tenant.id, async (tx) => {
			// The tenant before the person, as everywhere: on a cluster a new row locks its whole table.
			if ("target" in way) await lockTenant(tx, tenant.id);
			const userId = await recordUser(tx, {
				email,
				emailFolded: foldEmail(email),
				name,
				passwordHash,
				primaryTenantId: tenant.id,
				selectedPlan: body.selected_plan ?? null,
			});
			const user = { id: userId, email, name };
			const settling = { tenant, user, origin: { ...origin, actorUserId: userId } };
			const entered =
				"found" in way
					? await settleFounder(tx, settling)
					: await enterTenant(tx, {
							...settling,
							target: way.target,
							user: { ...user, emailFolded: foldEmail(email) },
						});
			await announceNewUser(tx, { ...settling, entered });
			const value = await sendFirstLink(tx, dependencies, { kind: "email_verification", user, origin });
			return { joined: toWire({ tenant, user, entered, body }), link: value };
		});
	});
	showLink(dependencies, "email_verification", link);
	return joined;
}

type Settling = { tenant: Tenant; user: { id: string; email: string; name: string } };

function toWire({
	tenant,
	user,
	entered,
	body,
}: Settling & { entered: Entered; body: Registration }): Joined {
	return {
		user: {
			...user,
			email_verified: false,
			roles: [...entered.roles],
			profile: { selected_plan: body.selected_plan ?? null },
		},
		tenant: { id: tenant.id, slug: tenant.slug, name: tenant.name },
		status: entered.status,
	};
}
