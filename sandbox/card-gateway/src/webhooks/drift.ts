const toText = (value: unknown) => (typeof value === "number" ? String(value) : value);

const drifts: Readonly<Record<string, (value: unknown) => unknown>> = {
	id: toText,
	amount: toText,
	requested_amount: toText,
	fees: () => null,
	metadata: () => "",
};

/**
 * The same data with the types that gateways of this kind send now and then: amounts and ids as texts, no
 * fees, and metadata that was lost.
 */
export function drift(data: unknown): unknown {
	if (data === null || typeof data !== "object" || Array.isArray(data)) return data;
	return Object.fromEntries(
		Object.entries(data).map(([name, value]) => [name, (drifts[name] ?? ((as) => as))(value)]),
	);
}
