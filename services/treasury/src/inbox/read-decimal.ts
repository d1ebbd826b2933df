const decimal = /^(-?)(\d{1,15})(?:\.(\d{1,2})0*)?$/;

/**
 * Reads an amount that a gateway writes in whole units (`"5.00"`, `5`, `1.5`) as lowest units, exactly;
 * undefined if the value is something else.
 */
export function readDecimal(value: unknown): bigint | undefined {
	const text = typeof value === "number" ? String(value) : value;
	if (typeof text !== "string") return undefined;
	const [, sign, units, cents = ""] = decimal.exec(text.trim()) ?? [];
	if (units === undefined) return undefined;
	const minor = BigInt(units) * 100n + BigInt(cents.padEnd(2, "0"));
	return sign === "-" ? -minor : minor;
}
