import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import type { ShownSecret } from "../payments/secret-field.tsx";

/** The secrets of each gateway. */
export const gatewaySecrets = {
	"mobile-money": ["consumer_key", "consumer_secret", "passkey"],
	"card-gateway": ["secret_key", "public_key", "webhook_secret"],
} as const;
export type GatewayName = keyof typeof gatewaySecrets;
type GatewaySecret = (typeof gatewaySecrets)[GatewayName][number];

/** Secrets that are used together. `retires_at` is null for those that calls use. */
export type Credential = {
	id: string;
	set_at: string;
	retires_at: string | null;
	secrets: Readonly<Partial<Record<GatewaySecret, { set_at: string; last4: string }>>>;
};

/** The profile of a gateway, as the treasury returns it. */
export type Gateway = {
	environment: "sandbox" | "production";
	base_url: string | null;
	certificate?: string | null;
	webhook_url?: string;
	secrets: Readonly<Partial<Record<GatewaySecret, ShownSecret>>>;
	credentials: readonly Credential[];
};

export const gatewayKey = (name: GatewayName) => ["treasury", "gateways", name];

/** Throws an Error if this installation has no treasury. */
function addressOf({ settings }: Platform, name: GatewayName): string {
	const { treasury } = settings.services;
	if (treasury === undefined) throw new Error("There is no address of the treasury.");
	return `${treasury}/api/v1/platform/gateways/${name}`;
}

/** The profile of a gateway. Only for the platform owner. */
export const gatewayQuery = (platform: Platform, name: GatewayName) =>
	queryOptions({
		queryKey: gatewayKey(name),
		queryFn: ({ signal }) =>
			platform.client.call<Gateway>(addressOf(platform, name), { outlet: "none", signal }),
	});

export const saveGateway = (platform: Platform, name: GatewayName, body: object): Promise<unknown> =>
	platform.client.call(addressOf(platform, name), { outlet: "none", method: "PUT", body });

/** Replaces the secrets that were entered. Those before verify webhooks for some time. */
export const rotateGateway = (platform: Platform, name: GatewayName, secrets: object): Promise<unknown> =>
	platform.client.call(`${addressOf(platform, name)}/rotate`, {
		...{ outlet: "none", method: "POST", body: { secrets } },
	});

/** Ends a credential that was replaced. */
export const retireCredential = (platform: Platform, name: GatewayName, id: string): Promise<unknown> =>
	platform.client.call(`${addressOf(platform, name)}/retire`, {
		...{ outlet: "none", method: "POST", body: { credential_id: id } },
	});
