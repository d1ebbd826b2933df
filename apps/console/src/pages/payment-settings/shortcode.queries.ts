import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";
import type { ShownSecret } from "../payments/secret-field.tsx";

export const shortcodeSecrets = ["initiator_password", "passkey", "consumer_key", "consumer_secret"] as const;

/** The tenant's shortcode at the mobile-money gateway, as the treasury returns it. */
export type Shortcode = {
	shortcode: string | null;
	kind: "paybill" | "till" | null;
	initiator_name: string | null;
	account_reference: string | null;
	unknown_accounts: "accept" | "reject";
	refund_excess: boolean;
	is_active: boolean;
	/** Since when the gateway confirms what is paid at it without a prompt; null: it does not. */
	urls_registered_at: string | null;
	secrets: Readonly<Record<(typeof shortcodeSecrets)[number], ShownSecret>>;
};

export const shortcodeKey = (slug: string) => ["treasury", slug, "shortcode"];

const addressOf = (platform: Platform, scope: ServiceScope) => `${serviceAddress(platform, scope)}/gateway`;

/** The tenant's shortcode. */
export const shortcodeQuery = (platform: Platform, scope: ServiceScope) =>
	queryOptions({
		queryKey: shortcodeKey(scope.slug),
		queryFn: ({ signal }) =>
			platform.client.call<Shortcode>(addressOf(platform, scope), { outlet: "none", signal }),
	});

export const saveShortcode = (platform: Platform, scope: ServiceScope, body: object): Promise<unknown> =>
	platform.client.call(addressOf(platform, scope), { outlet: "none", method: "PUT", body });

/** A QR code that pays at the shortcode. Without an amount the payer enters it. */
export type CounterQr = { reference: string; amount_minor?: number; trx_code: "PB" | "BG"; size: number };

/** Has the gateway draw a QR code that pays at the shortcode. */
export const drawCounterQr = (
	platform: Platform,
	scope: ServiceScope,
	body: CounterQr,
): Promise<{ png_base64: string }> =>
	platform.client.call(`${serviceAddress(platform, scope)}/qr`, { outlet: "none", method: "POST", body });

/** Has the gateway confirm what is paid at the shortcode without a prompt. */
export const registerAddresses = (platform: Platform, scope: ServiceScope): Promise<unknown> =>
	platform.client.call(`${serviceAddress(platform, scope)}/mobile-money/urls`, {
		...{ outlet: "none", method: "POST" },
	});
