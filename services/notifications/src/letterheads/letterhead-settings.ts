import { isSupportedCountry } from "libphonenumber-js";
import { normaliseAddress } from "../addresses/address.ts";

/** Reads the setting `phone.region`; undefined if it is not a country. */
export const readRegion = (value: unknown): string | undefined =>
	typeof value === "string" && isSupportedCountry(value) ? value : undefined;

/** Reads the setting `mail.reply_to`; undefined if it is not an e-mail address. */
export function readReplyTo(value: unknown): string | undefined {
	// The region is of phone numbers only.
	const read = typeof value === "string" ? normaliseAddress("email", value, "KE") : undefined;
	return read !== undefined && "ok" in read && read.ok.kind === "address" ? read.ok.address : undefined;
}

/** The checks of these settings for `PUT /config`. */
export const letterheadChecks = {
	"phone.region": (value: unknown) =>
		readRegion(value) === undefined
			? "It must be the code of a country in capital letters (ISO 3166-1), such as KE."
			: undefined,
	"mail.reply_to": (value: unknown) =>
		readReplyTo(value) === undefined ? "It must be one e-mail address." : undefined,
};
