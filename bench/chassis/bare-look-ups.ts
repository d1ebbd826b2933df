import type { FastifyRequest } from "fastify";

type Claims = { text: string; sub: string; sid: string; exp: number; tenant_id: string; tenant_slug: string };

/**
 * The look-ups without which nobody can say that a request may be answered: the token, whether it has ended or its session has, the tenant of
 * the address, the person in it, their permission. Out of plain maps that have no bound, filled from whatever a token says, unverified: whoever does
 * the same for true takes longer. Answers whether all are there.
 */
export function lookUpsBy(permission: string): (request: FastifyRequest) => boolean {
	const tokens = new Map<string, Claims>();
	const ended = new Set<string>();
	const tenants = new Map<string, { id: string; until: number }>();
	const people = new Map<string, { permissions: ReadonlySet<string>; until: number }>();
	const learn = (token: string): Claims => {
		const said = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Claims;
		const claims = { ...said, text: token };
		const until = Date.now() + 3_600_000;
		tokens.set(endOf(token), claims);
		tenants.set(claims.tenant_slug, { id: claims.tenant_id, until });
		people.set(`${claims.tenant_id} ${claims.sub}`, { permissions: new Set([permission]), until });
		return claims;
	};
	return ({ headers: { authorization = "" }, params }) => {
		if (!authorization.startsWith("Bearer ")) return false;
		const token = authorization.slice("Bearer ".length);
		const known = tokens.get(endOf(token));
		const claims = known?.text === token ? known : learn(token);
		const now = Date.now();
		if (claims.exp * 1_000 < now || ended.has(claims.sid)) return false;
		const tenant = tenants.get((params as { tenant: string }).tenant);
		if (tenant === undefined || tenant.until < now || tenant.id !== claims.tenant_id) return false;
		const person = people.get(`${tenant.id} ${claims.sub}`);
		return person !== undefined && person.until > now && person.permissions.has(permission);
	};
}

/** The end of a signature tells tokens apart. Hashing a whole token takes longer than everything else here. */
const endOf = (token: string) => token.slice(-32);
