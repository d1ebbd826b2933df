/**
 * Reads the JSON of a gateway; undefined if it is not JSON. Integers that a number cannot hold stay text,
 * as they were written.
 */
export function readBody(raw: Buffer): unknown {
	try {
		return JSON.parse(raw.toString("utf8"), keepLargeIntegers);
	} catch {
		return undefined;
	}
}

function keepLargeIntegers(_name: string, value: unknown, context?: { source?: string }): unknown {
	if (typeof value !== "number" || Number.isSafeInteger(value) || context?.source === undefined) return value;
	return /^-?\d+$/.test(context.source) ? context.source : value;
}

/** The member at a path; undefined if there is none. Names are compared without regard to case. */
export function memberAt(body: unknown, ...path: readonly string[]): unknown {
	return path.reduce(memberOf, body);
}

function memberOf(value: unknown, name: string): unknown {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
	if (Object.hasOwn(value, name)) return (value as Record<string, unknown>)[name];
	const wanted = name.toLowerCase();
	return Object.entries(value).find(([key]) => key.toLowerCase() === wanted)?.[1];
}

/** The text of a value that gateways write as text or as a number; undefined if it is neither, or empty. */
export function textOf(value: unknown): string | undefined {
	const text = typeof value === "number" ? String(value) : value;
	return typeof text === "string" && text.trim() !== "" ? text.trim() : undefined;
}
