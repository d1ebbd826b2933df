import type { Sandbox } from "../sandbox.ts";

/** An access token. A consumer key has one; a new one replaces it. */
export type Token = { token: string; consumerKey: string; expiresAt: string };

const lifetimeMs = 3_600_000;

/** Gives a consumer key a new token. Returns undefined if no shortcode has this key and secret. */
export function issueToken(
	{ tables, clock, ids }: Sandbox,
	{ name, password, ordinal }: { name: string; password: string; ordinal: number },
): Token | undefined {
	const isKnown = tables.shortcodes
		.list()
		.some(({ consumerKey, consumerSecret }) => consumerKey === name && consumerSecret === password);
	if (!isKnown) return undefined;
	return tables.tokens.put(name, {
		token: ids.hex(ordinal, "access token", 28),
		consumerKey: name,
		expiresAt: new Date(clock.now().getTime() + lifetimeMs).toISOString(),
	});
}

/** The consumer key of a token that is valid now, or undefined. */
export function findConsumer({ tables, clock }: Sandbox, token: string): string | undefined {
	const found = tables.tokens.list().find((row) => row.token === token);
	return found !== undefined && Date.parse(found.expiresAt) > clock.now().getTime()
		? found.consumerKey
		: undefined;
}

/** Makes the token of a consumer key invalid. */
export function invalidateToken({ tables, clock }: Sandbox, consumerKey: string): void {
	const found = tables.tokens.get(consumerKey);
	if (found !== undefined) tables.tokens.put(consumerKey, { ...found, expiresAt: clock.now().toISOString() });
}
