import { type AccessTokenClaims, apiScope } from "@lango/contracts";
import { isUuid } from "@lango/postgres";
import {
	type ApiKeyParts,
	createVerifier,
	equalSecrets,
	type KeySet,
	readApiKey,
	readHeader,
	TokenRefused,
	type Verifier,
} from "@lango/tokens";
import type { FastifyRequest } from "fastify";
import { bearerOf, type Caller, callOf, type UserCaller } from "./call.ts";
import { chassisFailures, type Failure } from "./failure.ts";
import { credentialOf, nameCredential } from "./name-credential.ts";
import { type RouteRules, rulesOf, type Step } from "./route.ts";

/** A stored API key: the hash of its secret, never the secret. */
export type StoredApiKey = {
	secretHash: Buffer;
	/** Undefined: valid for all tenants. */
	tenantId?: string | undefined;
	permissions: readonly string[];
	expiresAt?: Date | undefined;
	/** The outlets of the key; undefined: every outlet. */
	outletIds?: readonly string[] | undefined;
	/** The subscription of the tenant decides, although the key is valid for all tenants. */
	isGated?: true;
};

/** Tokens that a service signs itself, for people who sign in at this service: at a till, by PIN. */
export type OwnTokens = {
	issuer: string;
	audience: string;
	/** The service's own keys; a token with one of these keys was issued by this service. */
	keys: KeySet;
	/** Returns whether the token is current, for example not revoked. Called at every request. */
	isCurrent: (claims: AccessTokenClaims) => Promise<boolean>;
};

export type AuthenticateOptions = {
	verifier: Verifier;
	/** Without it the service accepts only tokens of the sign-on service. */
	ownTokens?: OwnTokens | undefined;
	now?: () => Date;
	/** The tenant whose superusers own the platform (setting LANGO_PLATFORM_OWNER_SLUG). */
	platformOwnerSlug: string;
	/**
	 * Finds a valid key by its id. Returns undefined if it does not exist. Without this function the service
	 * accepts no API keys.
	 */
	findApiKey?: (id: string) => Promise<StoredApiKey | undefined>;
	/** Called for each accepted key. */
	noteKeyUse?: (id: string) => void;
	/**
	 * API keys are accepted only on routes that declare `apiKey()`; 401 messages of other routes do not
	 * mention them.
	 */
	keysOnlyWhereDeclared?: true;
};

/**
 * The step that authenticates the caller (spec §5.5, §5.6) and sets `callOf(request).caller`. Throws
 * `token_invalid` or `api_key_invalid` (401), `invalid_input` (400) for a request with both kinds of
 * credential, `insufficient_scope` (403) for a person's token without the scope that the route requires,
 * and `forbidden` (403) for everybody but the platform's owner on a route for the owner alone.
 * KeySetUnavailable passes through: missing keys say nothing about the token.
 */
export function authenticateWith(options: AuthenticateOptions): Step {
	const { platformOwnerSlug, verifier } = options;
	const readBearer = readBearerWith(options);
	/**
	 * The claims of one token are one object while the token is cached, and so is their caller. With what later
	 * steps keep by the caller this saves 4 µs of the 28 µs of a request in `bench/chassis` (14 %).
	 */
	const callers = new WeakMap<AccessTokenClaims, Caller>();
	const callerOfToken = (bearer: Bearer): Caller => {
		const known = callers.get(bearer.claims);
		if (known !== undefined) return known;
		const caller = callerOfClaims(bearer, platformOwnerSlug);
		callers.set(bearer.claims, caller);
		return caller;
	};
	const takesKeys = options.findApiKey !== undefined && options.keysOnlyWhereDeclared !== true;
	const name = (request: FastifyRequest, error: unknown) =>
		nameCredential(error, credentialOf(rulesOf(request)?.access, takesKeys));
	const authenticate: Step = (request) => {
		const { authorization, "x-api-key": apiKey } = request.headers;
		if (apiKey !== undefined) {
			if (authorization !== undefined) throw twoCredentials();
			return callerOfKey(apiKey, options).then((caller) => admit(request, caller));
		}
		const known = peekBearer(authorization, verifier);
		return known === undefined
			? readBearer(request).then((bearer) => admit(request, callerOfToken(bearer)))
			: admit(request, callerOfToken(known));
	};
	return (request, reply) => {
		try {
			return authenticate(request, reply)?.catch((error) => {
				throw name(request, error);
			});
		} catch (error) {
			throw name(request, error);
		}
	};
}

function admit(request: FastifyRequest, caller: Caller): void {
	callOf(request).caller = caller;
	const rules = rulesOf(request);
	if (caller.kind === "user") requireAuthority(caller, rules);
	const isForOwner = rules?.access.kind === "platform_owner";
	if (isForOwner && !(caller.kind === "user" && caller.isPlatformOwner)) throw chassisFailures.forbidden();
}

/** A token of this service has no client that could lack the scope. */
function requireAuthority({ scopes, isIssuedHere }: UserCaller, rules: RouteRules | undefined): void {
	if (rules?.scope === "any" || scopes.has(apiScope) || isIssuedHere === true) return;
	throw insufficientScope(apiScope);
}

/**
 * The failure for an access token that lacks a scope, with the challenge that names it (RFC 6750 §3.1).
 */
export function insufficientScope(scope: string): Failure {
	return chassisFailures.insufficient_scope({
		message: `The access token lacks the scope ${scope}.`,
		headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
	});
}

/** Returns the cached claims of a token that is equal to a verified one, character by character. */
function peekBearer(authorization: string | undefined, verifier: Verifier): Bearer | undefined {
	if (authorization?.startsWith("Bearer ") !== true) return undefined;
	try {
		const claims = verifier.peek(authorization.slice("Bearer ".length));
		return claims && { claims, isIssuedHere: false };
	} catch (error) {
		throw asRefusal(error);
	}
}

const asRefusal = (error: unknown) =>
	error instanceof TokenRefused ? chassisFailures.token_invalid({ cause: error }) : error;

const twoCredentials = () =>
	chassisFailures.invalid_input({
		message: "Send an access token or an API key, not both.",
		fields: { field: "x-api-key", in: "headers" },
	});

/** The claims of a bearer token, and whether the service issued it itself. */
type Bearer = { claims: AccessTokenClaims; isIssuedHere: boolean };

function readBearerWith({
	verifier,
	ownTokens,
	now = () => new Date(),
}: AuthenticateOptions): (request: FastifyRequest) => Promise<Bearer> {
	const verifyOwn = ownTokens && verifyOwnWith(ownTokens, now);
	const verify = async (token: string): Promise<Bearer> => {
		if (verifyOwn !== undefined && ownTokens?.keys.peek(readHeader(token).kid) !== undefined)
			return { claims: await verifyOwn(token), isIssuedHere: true };
		return { claims: await verifier.verify(token), isIssuedHere: false };
	};
	return async (request) => {
		const token = bearerOf(request);
		if (token === undefined) throw request.headers.authorization === undefined ? missing() : notBearer();
		try {
			return await verify(token);
		} catch (error) {
			throw asRefusal(error);
		}
	};
}

function verifyOwnWith({ issuer, audience, keys, isCurrent }: OwnTokens, now: () => Date) {
	const verifier = createVerifier({ issuer, audiences: [audience], keys, now });
	return async (token: string): Promise<AccessTokenClaims> => {
		const claims = await verifier.verify(token);
		if (!(await isCurrent(claims))) throw new TokenRefused("revoked");
		return claims;
	};
}

/**
 * RFC 6750 §3, §3.1: without a credential, the challenge has the scheme and a required parameter, and no
 * error.
 */
const missing = () =>
	chassisFailures.token_invalid({
		message: "The request has no credential.",
		headers: { "www-authenticate": 'Bearer realm="lango"' },
	});
const notBearer = () =>
	chassisFailures.token_invalid({ message: "The Authorization header is not of the form: Bearer <token>." });

function callerOfClaims({ claims, isIssuedHere }: Bearer, platformOwnerSlug: string): Caller {
	const { sub, client_id, tenant_id, tenant_slug, roles = [] } = claims;
	const ids = tenant_id === undefined ? [sub] : [sub, tenant_id];
	if (!ids.every(isUuid)) throw chassisFailures.token_invalid({ cause: new TokenRefused("claims") });
	if (isProgram(claims) && !isIssuedHere) return { kind: "client", clientId: client_id, claims };
	const scopes = scopesOf(claims);
	if (isIssuedHere)
		return {
			kind: "user",
			userId: sub,
			claims,
			scopes,
			isSuperuser: false,
			isPlatformOwner: false,
			isIssuedHere,
		};
	const isSuperuser = roles.includes("superuser");
	return {
		kind: "user",
		userId: sub,
		claims,
		scopes,
		isSuperuser,
		isPlatformOwner: isSuperuser && tenant_slug === platformOwnerSlug,
	};
}

/**
 * Whether the token belongs to a program (client_credentials), by the claim `idtyp`. Releases before this
 * claim gave programs no session, person or tenant, and people all three.
 */
function isProgram({ idtyp, sid, email, tenant_id }: AccessTokenClaims): boolean {
	return idtyp === undefined ? (sid ?? email ?? tenant_id) === undefined : idtyp === "app";
}

/**
 * The scopes of a person's token. A token issued before the claim `idtyp`, valid for at most six hours,
 * also has `lango.api`, because every client had it then. Such a token always has an e-mail address and a
 * tenant.
 */
function scopesOf({ idtyp, scope = "", email, tenant_id }: AccessTokenClaims): ReadonlySet<string> {
	const scopes = scope.split(" ").filter((one) => one !== "");
	const isOfOlderRelease = idtyp === undefined && email !== undefined && tenant_id !== undefined;
	return new Set(isOfOlderRelease ? [...scopes, apiScope] : scopes);
}

async function callerOfKey(
	header: string | string[],
	{ findApiKey: find, noteKeyUse }: Pick<AuthenticateOptions, "findApiKey" | "noteKeyUse">,
): Promise<Caller> {
	if (find === undefined) throw keyRefused("This service takes no API keys.");
	const given: ApiKeyParts | undefined = typeof header === "string" ? readApiKey(header) : undefined;
	if (given === undefined) throw keyRefused("The X-API-Key header is not of the form: lk_<id>_<secret>.");
	const stored = await find(given.id);
	if (stored === undefined || !equalSecrets(stored.secretHash, given.secretHash)) throw keyRefused();
	noteKeyUse?.(given.id);
	const { secretHash: _, ...key } = stored;
	return { kind: "key", keyId: given.id, tenantId: undefined, ...key };
}

const keyRefused = (message?: string) =>
	chassisFailures.api_key_invalid({
		...(message !== undefined && { message }),
		headers: { "www-authenticate": 'Bearer realm="lango"' },
	});
