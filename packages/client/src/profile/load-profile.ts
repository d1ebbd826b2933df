import { ClientError } from "../calls/client-error.ts";
import type { ClientConfig, ServiceOptions } from "../options.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { askMe } from "./ask-me.ts";
import { inferServiceRole } from "./infer-role.ts";
import { type Identity, mergeProfile, type Profile, readIdentity, readServiceIdentity } from "./profile.ts";

/** Where the services answer auth/me when it is not below `/api/v1/{tenant}/{service}` (§4.3). */
const mePaths: Readonly<Record<string, string>> = {
	ordering: "/api/v1/{tenant}/auth/me",
	notifications: "/{tenant}/auth/me",
	treasury: "/api/v1/auth/me",
};

/**
 * Is a profile asked for again after so many failures? Not on 401 and 403, else while they are fewer than
 * 2 (§5.14).
 */
export function mayRetryProfile(failures: number, error: unknown): boolean {
	const status = error instanceof ClientError ? error.status : undefined;
	return status !== 401 && status !== 403 && failures < 2;
}

/**
 * The sign-on service's auth/me, asked for again as its rule has it; undefined while it does not know the
 * person in a tenant yet.
 */
export function loadIdentity(config: ClientConfig, tokens: Tokens): Promise<Identity | undefined> {
	return retrying(() => askIdentity(config, tokens));
}

/** Asks the sign-on service's auth/me once; never a service's (§5.14). */
export async function askIdentity(
	config: ClientConfig,
	tokens: Tokens,
	timeoutMilliseconds = config.timeoutMilliseconds,
): Promise<Identity | undefined> {
	const address = `${config.authUrl}/api/v1/auth/me`;
	const answer = askMe(config, tokens, { address, timeoutMilliseconds });
	return readIdentity(await answer.catch(noneYet));
}

/** Completes an identity with what the service of this front end says of the person. */
export async function completeProfile(
	config: ClientConfig,
	identity: Identity,
	tokens: Tokens,
): Promise<Profile> {
	const { service } = config;
	const { products } = tokens.claims;
	if (service?.url === undefined) return mergeProfile(identity, { service: undefined, products });
	const answer = await retrying(() =>
		askMe(config, tokens, {
			address: meAddress(service, identity),
			headers: tenantHeaders(identity),
		}).catch(noneYet),
	);
	if (answer !== undefined) {
		const read = readServiceIdentity(answer, service.name);
		return mergeProfile(identity, { service: { ...read, isInferred: false }, products });
	}
	const serviceRole = inferServiceRole(service, identity.globalRoles);
	return mergeProfile(identity, {
		service: { serviceRole, permissions: [], name: "", isInferred: true },
		products,
	});
}

/** None for the platform owner (§4). */
const tenantHeaders = ({ isPlatformOwner, tenantId, tenantSlug }: Identity): Record<string, string> =>
	isPlatformOwner ? {} : { "x-tenant-id": tenantId, "x-tenant-slug": tenantSlug };

function meAddress({ name, url = "", mePath }: ServiceOptions, { tenantSlug }: Identity): string {
	const path = mePath ?? mePaths[name] ?? `/api/v1/{tenant}/${name}/auth/me`;
	return url + path.replace("{tenant}", encodeURIComponent(tenantSlug));
}

/** A 404 is an answer: there is no such profile. */
function noneYet(error: unknown): undefined {
	if (error instanceof ClientError && error.status === 404) return undefined;
	throw error;
}

async function retrying<T>(load: () => Promise<T>): Promise<T> {
	for (let failures = 1; ; failures += 1) {
		try {
			return await load();
		} catch (error) {
			if (!mayRetryProfile(failures, error)) throw error;
		}
	}
}
