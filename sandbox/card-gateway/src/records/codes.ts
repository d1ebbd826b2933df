import type { Ids } from "@lango/sandbox-base";

/** Lower-case letters and digits that follow from the seed, the purpose and the ordinal. */
export function codeOf(ids: Ids, { purpose, ordinal, length = 15 }: CodeOptions): string {
	const digits = BigInt(`0x${ids.hex(ordinal, purpose, 2 * length)}`).toString(36);
	return digits.padStart(length, "0").slice(-length);
}

type CodeOptions = { purpose: string; ordinal: number; length?: number };
