import { chassisFailures } from "@lango/chassis";
import type { TenantSettingsChange } from "@lango/contracts";
import { isTimeZone } from "@lango/contracts/time-zone";
import type { Tenant } from "./tenant.store.ts";

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/** Throws `invalid_input` naming the field for a time zone, currency or locale that does not exist. */
export function requireUsable({ time_zone, currency, locale }: TenantSettingsChange): void {
	if (time_zone !== undefined && !isTimeZone(time_zone))
		throw unusable("time_zone", "is a time zone of the IANA database, as Africa/Nairobi");
	if (currency !== undefined && !currencies.has(currency))
		throw unusable("currency", "is a currency code of ISO 4217, as KES");
	if (locale !== undefined && !isLocale(locale)) throw unusable("locale", "is a language tag, as en-KE");
}

/**
 * Refuses a new address of a logo: the server alone sets it, when an image is uploaded. A client may send
 * back the address it read, and null. Throws `invalid_input` naming the field.
 */
export function requireKnownLogo(
	wanted: string | null | undefined,
	{ branding }: Pick<Tenant, "branding">,
): void {
	if (typeof wanted === "string" && wanted !== branding.logo_url)
		throw unusable(
			"branding.logo_url",
			"cannot be set to an address. Upload the image by PUT /api/v1/tenants/{slug}/logo, or send null to remove it",
		);
}

const unusable = (field: string, what: string) =>
	chassisFailures.invalid_input({ message: `${field} ${what}.`, fields: { field, in: "body" } });

function isLocale(tag: string): boolean {
	try {
		Intl.getCanonicalLocales(tag);
		return true;
	} catch (error) {
		if (error instanceof RangeError) return false;
		throw error;
	}
}
