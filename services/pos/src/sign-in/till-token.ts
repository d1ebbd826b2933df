import { randomUUID } from "node:crypto";
import { activeStatus, type Person, permissionsOfPerson, personHas, roleOf } from "@lango/access";
import { type AccessTokenClaims, Uuid } from "@lango/contracts";
import type { KeyPlan } from "@lango/signing-keys";
import { signJwt } from "@lango/tokens";
import Type, { type Static } from "typebox";
import Value from "typebox/value";
import type { Pos } from "../pos.ts";
import { standsSession } from "./terminal-session.store.ts";

/** A till's token is good for one long shift. */
export const lifeSeconds = 12 * 3_600;

/** Tokens are signed with ES256; a key stays published as long as they live, and some minutes. */
export const keyPlan: KeyPlan = { algorithms: ["ES256"], publishedAfterSeconds: lifeSeconds + 600 };

/** Good at this service and nowhere else. */
export const tillAudience = ({ settings, name }: Pick<Pos, "settings" | "name">): string =>
	`urn:${settings.audience}:${name}`;

/** What of a role a till may use. Administration is for those who signed in by their password. */
const tillModules: ReadonlySet<string | undefined> = new Set(["outlets", "staff"]);

/** A person as they stand at an outlet: undefined when they may not sign in at a till there. */
export type AtTill = { role: string; permissions: readonly string[] };

/** What a person is and may do at a till of an outlet, undefined for who is not active or has no role there. */
export function atTill(person: Person | undefined, outletId: string): AtTill | undefined {
	if (person === undefined || person.status !== activeStatus) return undefined;
	const role = roleOf(person, outletId);
	if (role === null) return undefined;
	const permissions = permissionsOfPerson(person, outletId).filter((code) =>
		tillModules.has(code.split(".")[1]),
	);
	return { role, permissions };
}

export type TillToken = {
	session: string;
	terminalId: string;
	tenant: { id: string; slug: string };
	outlet: { id: string; code: string; useCase: string };
	person: AtTill & { subject: string; name: string; email: string };
};

/** Signs the token of a person at a till (spec §4.3); it carries no role of the sign-on service's, so it passes no check by right. */
export function signTillToken(
	{ keyRing, settings, name, now }: Pick<Pos, "keyRing" | "settings" | "name" | "now">,
	{ session, terminalId, tenant, outlet, person }: TillToken,
): string {
	const iat = Math.floor(now().getTime() / 1_000);
	return signJwt(keyRing.signing("ES256"), "at+jwt", {
		iss: settings.publicUrl,
		sub: person.subject,
		aud: tillAudience({ settings, name }),
		exp: iat + lifeSeconds,
		iat,
		jti: randomUUID(),
		sid: session,
		client_id: "pos-terminal",
		idtyp: "user",
		terminal_id: terminalId,
		tenant_id: tenant.id,
		tenant_slug: tenant.slug,
		name: person.name,
		email: person.email,
		user_status: activeStatus,
		outlet_id: outlet.id,
		outlet_code: outlet.code,
		outlet_use_case: outlet.useCase,
		is_hq_user: false,
		pos_role: person.role,
		permissions: person.permissions,
	});
}

/** What a till's token must say to be looked at further; it was signed here, so anything else is a bug. */
const TillClaims = Type.Object({
	sub: Uuid,
	sid: Uuid,
	tenant_id: Uuid,
	outlet_id: Uuid,
	pos_role: Type.String(),
});

/**
 * Whether a till's token still stands: its till is in force, the PIN is the one it was given for, and the person is active
 * and still has the role at that outlet.
 */
export async function stands({ access, db, now }: Pos, claims: AccessTokenClaims): Promise<boolean> {
	const { sub, sid, tenant_id, outlet_id, pos_role } = Value.Parse(TillClaims, claims) as Static<
		typeof TillClaims
	>;
	const [person, isStanding] = await Promise.all([
		access.findPerson(tenant_id, sub),
		standsSession(db, { tenantId: tenant_id, id: sid, now: now() }),
	]);
	return isStanding && person?.status === activeStatus && personHas(person, pos_role, outlet_id);
}
