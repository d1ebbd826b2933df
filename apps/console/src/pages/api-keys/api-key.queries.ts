import type { Platform } from "../../platform.ts";
import { accessKey, type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";

/** An API key, as a service's `GET /api-keys` returns it: everything but the secret. */
export type ApiKey = {
	id: string;
	name: string;
	permissions: string[];
	/** Null: every outlet. */
	outlet_ids: string[] | null;
	/**
	 * Null if no user limits the key, for example if a visiting platform owner created it. Empty for an
	 * erased user.
	 */
	created_by_name: string | null;
	created_at: string;
	expires_at: string | null;
	revoked_at: string | null;
	/** To the minute; null: never. */
	last_used_at: string | null;
};

/** A key that was just created, with the secret that the service returns only once. */
export type CreatedApiKey = ApiKey & { key: string };

type NewApiKey = { name: string; permissions: readonly string[]; expires_at: string | null };

/** Cache key of all lists of a service's API keys. */
export const apiKeysKey = (scope: ServiceScope) => accessKey(scope, "api-keys");

/** Where a service lists and creates API keys. */
export const apiKeysAddress = (platform: Platform, scope: ServiceScope) =>
	`${serviceAddress(platform, scope)}/api-keys`;

/**
 * Creates a key. Without `outlet_ids` it may act at the same outlets as its creator. Throws ClientError.
 */
export function createApiKey(
	platform: Platform,
	scope: ServiceScope,
	body: NewApiKey & { outlet_ids?: readonly string[] },
): Promise<CreatedApiKey> {
	return platform.client.call<CreatedApiKey>(apiKeysAddress(platform, scope), {
		method: "POST",
		body,
		outlet: scope.outlet,
	});
}

/** Revokes a key at once. Throws ClientError. */
export function revokeApiKey(platform: Platform, scope: ServiceScope, id: string): Promise<unknown> {
	const address = `${apiKeysAddress(platform, scope)}/${encodeURIComponent(id)}`;
	return platform.client.call(address, { method: "DELETE", outlet: scope.outlet });
}
