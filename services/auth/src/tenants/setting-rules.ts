import { chassisFailures } from "@lango/chassis";
import type { TenantSettingsChange } from "@lango/contracts";

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/** Refuses settings that no program could work with, naming the field: zones, currencies and locales nobody knows, unsafe addresses. */
export function requireUsable(
	{ time_zone, currency, locale, branding }: TenantSettingsChange,
	{ ownOrigins }: { ownOrigins: readonly string[] },
): void {
	if (time_zone !== undefined && !isTimeZone(time_zone))
		throw unusable("time_zone", "is a time zone of the IANA database, as Africa/Nairobi");
	if (currency !== undefined && !currencies.has(currency))
		throw unusable("currency", "is a currency code of ISO 4217, as KES");
	if (locale !== undefined && !isLocale(locale)) throw unusable("locale", "is a language tag, as en-KE");
	if (typeof branding?.logo_url === "string" && !isPictureAddress(branding.logo_url, ownOrigins))
		throw unusable("branding.logo_url", "is an https address outside the platform");
}

const unusable = (field: string, what: string) =>
	chassisFailures.invalid_input({ message: `${field} ${what}.`, fields: { field, in: "body" } });

function isTimeZone(name: string): boolean {
	// Offsets such as +03:00 are no zones: they know no summer time.
	return /^[A-Za-z]/.test(name) && isUnderstood(() => new Intl.DateTimeFormat("en", { timeZone: name }));
}

function isLocale(tag: string): boolean {
	return isUnderstood(() => Intl.getCanonicalLocales(tag));
}

function isUnderstood(attempt: () => unknown): boolean {
	try {
		attempt();
		return true;
	} catch (error) {
		if (error instanceof RangeError) return false;
		throw error;
	}
}

/**
 * Whether pages may load an address as a picture: https, and not on a host of the platform. A browser sends cookies of the platform with
 * such a request, so an address there could act in the name of everybody who sees the page.
 */
function isPictureAddress(text: string, ownOrigins: readonly string[]): boolean {
	const url = URL.parse(text);
	if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "") return false;
	return !ownOrigins.some((origin) => hostOf(new URL(origin)) === hostOf(url));
}

/** The host name without the dot that a complete name may end with. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/\.+$/, "");
