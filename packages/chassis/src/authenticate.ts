import type { AccessTokenClaims } from "@lango/contracts";
import { type ApiKeyParts, equalSecrets, readApiKey, TokenRefused, type Verifier } from "@lango/tokens";
import type { FastifyRequest } from "fastify";
import { bearerOf, type Caller, callOf } from "./call.ts";
import { chassisFailures } from "./failure.ts";
import { rulesOf, type Step } from "./route.ts";

/** An API key as a service keeps it: never the secret, only its hash. */
export type StoredApiKey = {
	secretHash: Buffer;
	/** Undefined: good for all tenants. */
	tenantId?: string | undefined;
	permissions: readonly string[];
	expiresAt?: Date | undefined;
};

export type AuthenticateOptions = {
	verifier: Verifier;
	/** The tenant whose superusers own the platform (setting LANGO_PLATFORM_OWNER_SLUG). */
	platformOwnerSlug: string;
	/** Finds a key that is in force by its id, undefined when there is none. Left out: the service takes no API keys. */
	findApiKey?: (id: string) => Promise<StoredApiKey | undefined>;
};

/**
 * The step that learns who is asking (spec §5.5, §5.6) and fills in `callOf(request).caller`. Refuses with 401
 * `token_invalid` or `api_key_invalid`, with 400 a request that carries both kinds of credential, with 403 all but the
 * platform's owner where a route is for them alone. KeySetUnavailable
 * comes through: that the keys cannot be had says nothing about the token.
 */
export function authenticateWith({ verifier, platformOwnerSlug, findApiKey }: AuthenticateOptions): Step {
	/** Claims of one token are one object as long as the token is remembered, and so is who they are of. */
	const callers = new WeakMap<AccessTokenClaims, Caller>();
	const callerOfToken = (claims: AccessTokenClaims): Caller => {
		const known = callers.get(claims);
		if (known !== undefined) return known;
		const caller = callerOfClaims(claims, platformOwnerSlug);
		callers.set(claims, caller);
		return caller;
	};
	return (request) => {
		const { authorization, "x-api-key": apiKey } = request.headers;
		if (apiKey !== undefined) {
			if (authorization !== undefined) throw twoCredentials();
			return callerOfKey(apiKey, findApiKey).then((caller) => admit(request, caller));
		}
		const known = peekBearer(authorization, verifier);
		if (known !== undefined) return admit(request, callerOfToken(known));
		return verifyBearer(request, verifier).then((claims) => admit(request, callerOfToken(claims)));
	};
}

function admit(request: FastifyRequest, caller: Caller): void {
	callOf(request).caller = caller;
	const isForOwner = rulesOf(request)?.access.kind === "platform_owner";
	if (isForOwner && !(caller.kind === "user" && caller.isPlatformOwner)) throw chassisFailures.forbidden();
}

/** The claims of a token that was seen before. Its form needs no looking at: it is the same text, character by character. */
function peekBearer(authorization: string | undefined, verifier: Verifier): AccessTokenClaims | undefined {
	if (authorization?.startsWith("Bearer ") !== true) return undefined;
	try {
		return verifier.peek(authorization.slice("Bearer ".length));
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

async function verifyBearer(request: FastifyRequest, verifier: Verifier): Promise<AccessTokenClaims> {
	const token = bearerOf(request);
	if (token === undefined) throw request.headers.authorization === undefined ? missing() : notBearer();
	try {
		return await verifier.verify(token);
	} catch (error) {
		throw asRefusal(error);
	}
}

/** RFC 6750 §3, §3.1: who sent no credential is told the scheme, with a parameter as it must have, and no error. */
const missing = () =>
	chassisFailures.token_invalid({
		message: "This address needs an access token: Authorization: Bearer <token>.",
		headers: { "www-authenticate": 'Bearer realm="lango"' },
	});
const notBearer = () =>
	chassisFailures.token_invalid({ message: "The Authorization header is not of the form: Bearer <token>." });

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A token without person and tenant is a program's own (client_credentials); every other is a person's. */
function callerOfClaims(claims: AccessTokenClaims, platformOwnerSlug: string): Caller {
	const { sub, client_id, email, tenant_id, tenant_slug, roles = [] } = claims;
	const ids = tenant_id === undefined ? [sub] : [sub, tenant_id];
	if (!ids.every((id) => uuid.test(id)))
		throw chassisFailures.token_invalid({ cause: new TokenRefused("claims") });
	if (email === undefined && tenant_id === undefined) return { kind: "client", clientId: client_id, claims };
	const isSuperuser = roles.includes("superuser");
	return {
		kind: "user",
		userId: sub,
		claims,
		isSuperuser,
		isPlatformOwner: isSuperuser && tenant_slug === platformOwnerSlug,
	};
}

async function callerOfKey(
	header: string | string[],
	find: AuthenticateOptions["findApiKey"],
): Promise<Caller> {
	if (find === undefined) throw keyRefused("This service takes no API keys.");
	const given: ApiKeyParts | undefined = typeof header === "string" ? readApiKey(header) : undefined;
	if (given === undefined) throw keyRefused("The X-API-Key header is not of the form: lk_<id>_<secret>.");
	const stored = await find(given.id);
	if (stored === undefined || !equalSecrets(stored.secretHash, given.secretHash)) throw keyRefused();
	const { tenantId, permissions, expiresAt } = stored;
	return { kind: "key", keyId: given.id, tenantId, permissions, expiresAt };
}

const keyRefused = (message?: string) =>
	chassisFailures.api_key_invalid({
		...(message !== undefined && { message }),
		headers: { "www-authenticate": 'Bearer realm="lango"' },
	});
