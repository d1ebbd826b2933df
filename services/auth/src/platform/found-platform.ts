import { randomUUID } from "node:crypto";
import { isEmail, isName } from "@lango/contracts";
import { hashPassword } from "@lango/passwords";
import { type Database, inTenant } from "@lango/postgres";
import { recordAudit } from "../audit/audit.store.ts";
import { announceNewUser } from "../members/announce-user.ts";
import { recordMembership } from "../members/member.store.ts";
import { weaknessOf } from "../passwords/password-rule.ts";
import { isEmailTaken, recordUser } from "../registration/registration.store.ts";
import { announceTenant } from "../tenants/announce-tenant.ts";
import { recordTenant } from "../tenants/tenant.store.ts";
import { foldEmail } from "../users/email.ts";
import { findSlugOwner, markEmailVerified } from "./first-owner.store.ts";

/** The platform owner's tenant and its first user. */
export type Founding = {
	/** LANGO_PLATFORM_OWNER_SLUG. */
	slug: string;
	tenantName: string;
	email: string;
	name: string;
	password: string;
	now: Date;
};

/**
 * Creates the platform owner's tenant and its first superuser, who invites the others (spec §2.3). The
 * operator runs it once. Throws an Error for the terminal if the slug is or was used, the address is taken
 * or malformed, a name is empty, or the password is weak; it writes nothing then.
 */
export async function foundPlatform(
	db: Database,
	founding: Founding,
): Promise<{ tenantId: string; userId: string }> {
	requireUsable(founding);
	const { slug, email } = founding;
	if ((await findSlugOwner(db, slug)) !== undefined)
		throw new Error(`The tenant ${slug} already exists. Its superusers can invite others.`);
	if (await isEmailTaken(db, foldEmail(email))) throw new Error(`${email} is already registered.`);
	const passwordHash = await hashPassword(founding.password);
	return db.transaction(async (outer) => {
		const tenant = await recordTenant(outer, {
			name: founding.tenantName.trim(),
			slug,
			orgSize: null,
			useCase: null,
		});
		const userId = await inTenant(outer, tenant.id, async (tx) => {
			await announceTenant(tx, tenant, { what: "created", origin: { now: founding.now } });
			return recordOwner(tx, { founding, tenantId: tenant.id, passwordHash });
		});
		return { tenantId: tenant.id, userId };
	});
}

function requireUsable({ email, name, tenantName, password }: Founding): void {
	if (!isEmail(email)) throw new Error(`"${email}" is not an e-mail address.`);
	for (const one of [name, tenantName])
		if (!isName(one, 200)) throw new Error(`"${one}" is not a valid name.`);
	const weakness = weaknessOf(password, email);
	if (weakness !== undefined) throw new Error(`This password is too weak: ${weakness}.`);
}

const roles = ["superuser"];
const status = "active";

async function recordOwner(
	tx: Database,
	{ founding, tenantId, passwordHash }: { founding: Founding; tenantId: string; passwordHash: string },
): Promise<string> {
	const { email, slug, now } = founding;
	const name = founding.name.trim();
	const person = { email, emailFolded: foldEmail(email), name, passwordHash, selectedPlan: null };
	const userId = await recordUser(tx, { ...person, primaryTenantId: tenantId });
	await markEmailVerified(tx, userId);
	await recordMembership(tx, {
		tenantId,
		userId,
		roles,
		status,
		statusAgain: status,
		isHq: false,
		replaces: [],
		now,
	});
	const origin = { actorUserId: userId, ip: "127.0.0.1", requestId: `first-owner-${randomUUID()}`, now };
	await recordAudit(tx, origin, {
		tenantId,
		action: "platform.founded",
		subject: tenantId,
		after: { slug, superuser_id: userId },
	});
	await announceNewUser(tx, {
		user: { id: userId, email, name },
		tenant: { id: tenantId, slug },
		entered: { roles, status },
		origin: { now },
	});
	return userId;
}
