import { textOf } from "../../inbox/read-body.ts";

/** Lowest units, as a number or as text; undefined for anything else. */
export function readMinor(value: unknown): bigint | undefined {
	const text = textOf(value);
	return text !== undefined && /^\d{1,15}$/.test(text) ? BigInt(text) : undefined;
}
