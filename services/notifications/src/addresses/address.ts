import { domainToASCII } from "node:url";
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js";
import type { Channel } from "../channel.ts";

/**
 * Where a message goes: an address of its channel, normalised, or a user whose addresses the service knows.
 */
export type Address = { kind: "address"; address: string } | { kind: "user"; userId: string };

const emailLengthMax = 254;
const localLengthMax = 64;
const tokenLengthMax = 4_096;

const user = /^user:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;

/**
 * Normalises what a caller wrote under `to`. A phone number without `+` is of the region (ISO 3166, `KE`).
 * Only impossible numbers are refused, because tables of valid ones lag behind. Returns a sentence if it is
 * refused.
 */
export function normaliseAddress(
	channel: Channel,
	text: string,
	region: string,
): { ok: Address } | { problem: string } {
	if (/\p{Cc}/u.test(text)) return { problem: problems[channel] };
	const userId = user.exec(text)?.[1];
	if (userId !== undefined) return { ok: { kind: "user", userId: userId.toLowerCase() } };
	const address = normalisers[channel](text, region);
	return address === undefined ? { problem: problems[channel] } : { ok: { kind: "address", address } };
}

const normalisers: Readonly<Record<Channel, (text: string, region: string) => string | undefined>> = {
	email: normaliseEmail,
	sms: normalisePhone,
	whatsapp: normalisePhone,
	push: (text) => (text.length <= tokenLengthMax && /^[\x21-\x7e]+$/.test(text) ? text : undefined),
	in_app: () => undefined,
};

const problems: Readonly<Record<Channel, string>> = {
	email: "It must be one e-mail address.",
	sms: "It must be a single phone number, such as +254712345678.",
	whatsapp: "It must be a single phone number, such as +254712345678.",
	push: "It must be a device token of at most 4096 printable characters.",
	in_app: "It must be user: and the id of a user.",
};

/** RFC 5321 without quoted strings, comments, address literals and local parts outside ASCII. */
function normaliseEmail(text: string): string | undefined {
	const [local = "", domain = "", ...more] = text.trim().split("@");
	const isLocal =
		local.length <= localLengthMax && /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(local);
	if (!isLocal || more.length > 0) return undefined;
	const ascii = normaliseDomain(domain);
	const address = `${local}@${ascii}`;
	return ascii === undefined || address.length > emailLengthMax ? undefined : address;
}

/** Lower case and punycode; undefined if it is not a name of at least two labels. */
function normaliseDomain(domain: string): string | undefined {
	if (domain.length > emailLengthMax || /[\s%:/?#[\]\\@]/.test(domain)) return undefined;
	const labels = domainToASCII(domain).split(".");
	const isName = labels.every((label) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label));
	const isAddress = /^\d+$/.test(labels.at(-1) ?? "");
	return isName && labels.length > 1 && !isAddress ? labels.join(".") : undefined;
}

/** E.164. */
function normalisePhone(text: string, region: string): string | undefined {
	if (text.length > 40 || !/^\+?[\d\s().-]+$/.test(text.trim())) return undefined;
	const country: CountryCode = isSupportedCountry(region) ? region : "KE";
	const number = parsePhoneNumberFromString(text.trim(), { defaultCountry: country, extract: false });
	return number?.isPossible() === true && number.ext === undefined ? number.number : undefined;
}

/**
 * The form in which a normalised address is compared and found. E-mail addresses are the same whatever the
 * case of their letters (RFC 5321 §2.4 lets a mailbox distinguish them; none in use does). Mail goes to what
 * was written.
 */
export const comparableAddress = (channel: Channel, address: string): string =>
	channel === "email" ? address.toLowerCase() : address;

/** Whether a normalised phone number is of this country (ISO 3166). */
export function isPhoneOf(address: string, region: string): boolean {
	return parsePhoneNumberFromString(address)?.country === region;
}

const dots = "•••••";

/**
 * Hides an address: `a…e@example.com`, `+2547•••••89`. Of a device token only its last four characters show.
 */
export function maskAddress(channel: Channel, address: string): string {
	if (user.test(address)) return address;
	return maskers[channel](address);
}

const maskPhone = (address: string): string =>
	`${address.slice(0, Math.max(0, Math.min(5, address.length - 6)))}${dots}${address.length > 6 ? address.slice(-2) : ""}`;

const maskers: Readonly<Record<Channel, (address: string) => string>> = {
	email: (address) => {
		const at = address.lastIndexOf("@");
		const local = address.slice(0, Math.max(0, at));
		return `${local.slice(0, 1)}…${local.length > 2 ? local.slice(-1) : ""}${address.slice(Math.max(0, at))}`;
	},
	sms: maskPhone,
	whatsapp: maskPhone,
	push: (address) => `${dots}${address.length > 16 ? address.slice(-4) : ""}`,
	in_app: (address) => address,
};
