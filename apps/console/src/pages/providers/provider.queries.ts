import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";
import type { Channel } from "./provider-kinds.ts";

/**
 * The owner of providers: a tenant, or the platform at its owner's address, whose tenant is `platformId`.
 */
export type ProviderScope = ServiceScope & { platformId: string | undefined };

/** An account at a provider. Its credentials are never read. */
export type Provider = {
	id: string;
	owner: "tenant" | "platform";
	channel: Channel;
	kind: string;
	name: string;
	weight: number;
	resting_weight: number;
	per_second: number;
	in_flight_max: number;
	enabled: boolean;
	/** The sender's address of mails through a tenant's own provider of e-mail. */
	from_address: string | null;
	degraded_at: string | null;
	created_at: string;
};

/** What a provider did within a minute. */
export type Minute = { minute: string; sent: number; errors: number; slow: number };

type Terms = { resting_weight: number; per_second: number; in_flight_max: number; enabled: boolean };
export type ProviderChange = Terms & {
	name: string;
	credentials?: Record<string, unknown>;
	base_url?: string;
};
export type NewProvider = ProviderChange & { channel: Channel; kind: string };

export const providersKey = ({ slug, platformId }: ProviderScope) => ["providers", slug, platformId ?? ""];
export const providersAddress = (platform: Platform, scope: ProviderScope) =>
	`${serviceAddress(platform, scope)}/providers`;

/** Requests about all of the platform name its tenant. Providers are not an outlet's. */
export const wholeOf = ({ platformId }: Pick<ProviderScope, "platformId">) => ({
	outlet: "none" as const,
	query: platformId === undefined ? {} : { tenantId: platformId },
});

export function providerQuery(platform: Platform, scope: ProviderScope, id: string) {
	return queryOptions({
		queryKey: [...providersKey(scope), "one", id],
		queryFn: ({ signal }) =>
			platform.client.call<Provider>(addressOf(platform, scope, id), { ...wholeOf(scope), signal }),
	});
}

const refreshMs = 30_000;

/** What a provider did in the last hour, by the minute, the newest first. Read again every half minute. */
export function healthQuery(platform: Platform, scope: ProviderScope, id: string) {
	return queryOptions({
		queryKey: [...providersKey(scope), "health", id],
		queryFn: async ({ signal }) => {
			const address = `${addressOf(platform, scope, id)}/health`;
			const { items } = await platform.client.call<{ items: Minute[] }>(address, {
				...wholeOf(scope),
				signal,
			});
			return { items, at: new Date() };
		},
		refetchInterval: refreshMs,
	});
}

type One = { scope: ProviderScope; id: string };

export const addProvider = (platform: Platform, scope: ProviderScope, body: NewProvider): Promise<Provider> =>
	platform.client.call(providersAddress(platform, scope), { ...wholeOf(scope), method: "POST", body });

export const changeProvider = (
	platform: Platform,
	{ scope, id }: One,
	body: ProviderChange,
): Promise<Provider> =>
	platform.client.call(addressOf(platform, scope, id), { ...wholeOf(scope), method: "PATCH", body });

export const removeProvider = (platform: Platform, { scope, id }: One): Promise<unknown> =>
	platform.client.call(addressOf(platform, scope, id), { ...wholeOf(scope), method: "DELETE" });

/** Tries the stored credentials without sending a message. */
export const checkProvider = (
	platform: Platform,
	{ scope, id }: One,
): Promise<{ ok: boolean; code: string | null }> =>
	platform.client.call(`${addressOf(platform, scope, id)}/check`, {
		...wholeOf(scope),
		method: "POST",
		timeoutMilliseconds: 30_000,
	});

/** Issues a new webhook token. Its address is shown once. */
export const issueWebhookToken = (platform: Platform, { scope, id }: One): Promise<{ webhook_url: string }> =>
	platform.client.call(`${addressOf(platform, scope, id)}/webhook-token`, {
		...wholeOf(scope),
		method: "POST",
	});

const addressOf = (platform: Platform, scope: ProviderScope, id: string) =>
	`${providersAddress(platform, scope)}/${encodeURIComponent(id)}`;
