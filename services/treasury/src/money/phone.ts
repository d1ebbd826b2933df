/** A Kenyan mobile number in the only form that is stored and sent: `2547…` or `2541…` and eight digits. */
export const phonePattern = "^254[17]\\d{8}$";

const spelled = /^(?:\+?254|0)?([17]\d{8})$/;

/**
 * Reads a Kenyan mobile number as people and gateways write it: 07…, 01…, +254…, 254…, 7…, 1…, with spaces,
 * dots, hyphens or brackets, or as a number. Returns undefined for anything else.
 */
export function readPhone(value: unknown): string | undefined {
	if (typeof value !== "string" && typeof value !== "number") return undefined;
	const digits = String(value).replaceAll(/[\s().-]/g, "");
	const local = spelled.exec(digits)?.[1];
	return local === undefined ? undefined : `254${local}`;
}

/**
 * Masks a number that a gateway shows, in full or masked already: the first four characters and the last
 * three digits stay. Undefined: it is not a number, for example its hash.
 */
export const maskShown = (shown: string): string | undefined =>
	/^[\d\s+*•]*\d{3}$/.test(shown) ? maskPhone(shown) : undefined;

/** Masks a number of `readPhone` for answers and logs: `2547•••••123`. */
export const maskPhone = (phone: string): string => `${phone.slice(0, 4)}•••••${phone.slice(-3)}`;
