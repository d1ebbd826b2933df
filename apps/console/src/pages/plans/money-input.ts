const form = /^(\d{1,12})(?:[.,](\d{1,4}))?$/;

/** How many digits a currency has after the point, for example 2 for KES and 0 for UGX. Throws a RangeError when it is no currency. */
function digitsOf(currency: string): number {
	const format = new Intl.NumberFormat("en", { style: "currency", currency });
	return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** Reads an amount such as "1500" or "1500.50" of a currency into its lowest units; undefined when it is none. */
export function readMoney(text: string, currency: string): number | undefined {
	const [, whole, part = ""] = form.exec(text.replaceAll(/[\s_]/g, "")) ?? [];
	if (whole === undefined || !/^[A-Z]{3}$/.test(currency)) return undefined;
	const digits = digitsOf(currency);
	if (part.length > digits) return undefined;
	const minor = Number(whole + part.padEnd(digits, "0"));
	return Number.isSafeInteger(minor) ? minor : undefined;
}

/** The text of an amount in lowest units, as it is typed. */
export function moneyText(minor: number, currency: string): string {
	const digits = digitsOf(currency);
	return (minor / 10 ** digits).toFixed(digits);
}
