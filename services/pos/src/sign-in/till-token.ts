import { randomUUID } from "node:crypto";
import { activeStatus, type Person, permissionsOfPerson, personHas, roleOf } from "@lango/access";
import type { OwnTokens } from "@lango/chassis";
import { type AccessTokenClaims, Uuid } from "@lango/contracts";
import type { KeyPlan } from "@lango/signing-keys";
import { signJwt } from "@lango/tokens";
import Type, { type Static } from "typebox";
import Value from "typebox/value";
import type { Pos } from "../pos.ts";
import { isSessionCurrent } from "./terminal-session.store.ts";

/** The life of a till token: one long shift. */
export const lifeSeconds = 12 * 3_600;

/**
 * Tokens are signed with ES256; a key stays published until its tokens have expired, and ten minutes more.
 */
export const keyPlan: KeyPlan = { algorithms: ["ES256"], publishedAfterSeconds: lifeSeconds + 600 };

/** The audience of till tokens: valid at this service only. */
const tillAudience = ({ settings, name }: Pick<Pos, "settings" | "name">): string =>
	`urn:${settings.audience}:${name}`;

/** The modules whose permissions a till token can use. Administration requires sign-in by password. */
const tillModules: ReadonlySet<string | undefined> = new Set(["outlets", "staff"]);

/** The role and permissions of a person at a till. */
export type AtTill = { role: string; permissions: readonly string[] };

/**
 * Returns a person's role and permissions at a till of an outlet, undefined if they are not active or have no
 * role there.
 */
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

/**
 * Signs the token of a person at a till (spec §4.3). It carries no global role, so it gives no global rights.
 */
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

/** The required claims of a till token. The token was signed here, so a missing claim is a bug. */
const TillClaims = Type.Object({
	sub: Uuid,
	sid: Uuid,
	tenant_id: Uuid,
	outlet_id: Uuid,
	pos_role: Type.String(),
});

/**
 * Returns whether a till token is current: its till is not revoked, its PIN has not changed, and the person
 * is active and still has the role at that outlet.
 */
async function isTillTokenCurrent({ access, db, now }: Pos, claims: AccessTokenClaims): Promise<boolean> {
	const { sub, sid, tenant_id, outlet_id, pos_role } = Value.Parse(TillClaims, claims) as Static<
		typeof TillClaims
	>;
	const [person, isCurrent] = await Promise.all([
		access.findPerson(tenant_id, sub),
		isSessionCurrent(db, { tenantId: tenant_id, id: sid, now: now() }),
	]);
	return isCurrent && person?.status === activeStatus && personHas(person, pos_role, outlet_id);
}

/** How the routes verify till tokens. */
export function tillTokens(pos: Pos): OwnTokens {
	const { settings, keyRing } = pos;
	return {
		issuer: settings.publicUrl,
		audience: tillAudience(pos),
		keys: keyRing.keys,
		isCurrent: (claims) => isTillTokenCurrent(pos, claims),
	};
}
