import { ClientError } from "../calls/client-error.ts";
import type { ClientConfig, ServiceOptions } from "../options/options.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { inferServiceRole } from "./infer-role.ts";
import {
	type Identity,
	mergeProfile,
	type Profile,
	readIdentity,
	readServiceIdentity,
	tenantHeaders,
} from "./profile.ts";
import { requestMe } from "./request-me.ts";

/** The paths of auth/me that differ from `/api/v1/{tenant}/{service}/auth/me` (§4.3). */
const mePaths: Readonly<Record<string, string>> = {
	ordering: "/api/v1/{tenant}/auth/me",
	notifications: "/{tenant}/auth/me",
	treasury: "/api/v1/auth/me",
};

/** Whether auth/me is retried after this number of failures: fewer than 2, and not a 401 or 403 (§5.14). */
export function mayRetryProfile(failures: number, error: unknown): boolean {
	const status = error instanceof ClientError ? error.status : undefined;
	return status !== 401 && status !== 403 && failures < 2;
}

/** Requests the sign-on service's auth/me, with retries. Undefined if there is no profile yet. */
export function loadIdentity(config: ClientConfig, tokens: Tokens): Promise<Identity | undefined> {
	return withRetries(() => requestIdentity(config, tokens));
}

/** Requests the sign-on service's auth/me once, never a service's (§5.14). */
export async function requestIdentity(
	config: ClientConfig,
	tokens: Tokens,
	timeoutMilliseconds = config.timeoutMilliseconds,
): Promise<Identity | undefined> {
	const address = `${config.authUrl}/api/v1/auth/me`;
	const response = requestMe(config, tokens, { address, timeoutMilliseconds });
	return readIdentity(await response.catch(undefinedIfNotFound));
}

/** Completes an identity with the auth/me of the front end's service. */
export async function completeProfile(
	config: ClientConfig,
	identity: Identity,
	tokens: Tokens,
): Promise<Profile> {
	const { service } = config;
	const { products } = tokens.claims;
	if (service?.url === undefined) return mergeProfile(identity, { service: undefined, products });
	const response = await withRetries(() =>
		requestMe(config, tokens, {
			address: meAddress(service, identity),
			headers: tenantHeaders(identity),
		}).catch(undefinedIfNotFound),
	);
	if (response !== undefined) {
		const read = readServiceIdentity(response, service.name);
		return mergeProfile(identity, { service: { ...read, isInferred: false }, products });
	}
	const serviceRole = inferServiceRole(service, identity.globalRoles);
	return mergeProfile(identity, {
		service: { serviceRole, permissions: [], name: "", isInferred: true },
		products,
	});
}

function meAddress({ name, url = "", mePath }: ServiceOptions, { tenantSlug }: Identity): string {
	const path = mePath ?? mePaths[name] ?? `/api/v1/{tenant}/${name}/auth/me`;
	return url + path.replace("{tenant}", encodeURIComponent(tenantSlug));
}

function undefinedIfNotFound(error: unknown): undefined {
	if (error instanceof ClientError && error.status === 404) return undefined;
	throw error;
}

async function withRetries<T>(load: () => Promise<T>): Promise<T> {
	for (let failures = 1; ; failures += 1) {
		try {
			return await load();
		} catch (error) {
			if (!mayRetryProfile(failures, error)) throw error;
		}
	}
}
