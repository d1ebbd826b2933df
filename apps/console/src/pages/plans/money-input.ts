const form = /^(\d{1,12})(?:[.,](\d{1,4}))?$/;

/**
 * The number of decimal places of a currency, for example 2 for KES and 0 for UGX. Throws a RangeError for
 * an unknown currency.
 */
function digitsOf(currency: string): number {
	const format = new Intl.NumberFormat("en", { style: "currency", currency });
	return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** Reads an amount such as "1500" or "1500.50" into minor units; undefined if it is not valid. */
export function readMoney(text: string, currency: string): number | undefined {
	const [, whole, part = ""] = form.exec(text.replaceAll(/[\s_]/g, "")) ?? [];
	if (whole === undefined || !/^[A-Z]{3}$/.test(currency)) return undefined;
	const digits = digitsOf(currency);
	if (part.length > digits) return undefined;
	const minor = Number(whole + part.padEnd(digits, "0"));
	return Number.isSafeInteger(minor) ? minor : undefined;
}

/** Formats an amount in minor units as input text. */
export function moneyText(minor: number, currency: string): string {
	const digits = digitsOf(currency);
	return (minor / 10 ** digits).toFixed(digits);
}
