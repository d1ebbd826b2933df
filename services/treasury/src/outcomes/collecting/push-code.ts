import type { Said } from "../evidence/evidence.ts";

/** The codes that a prompt ends with (payments text §3); every other code but 0 is a failure, too. */
const cancelledByPayer = "1032";
const notAnswered = "1037";

/**
 * What the result code of a prompt says; undefined for 0, which is paid: the caller knows amount and
 * receipt. Codes come as numbers in callbacks and as text in queries.
 */
export function saidByPushCode(code: string | number): Said | undefined {
	const text = String(code);
	if (text === "0") return undefined;
	if (text === cancelledByPayer) return { kind: "cancelled", code: text };
	return { kind: "failed", code: text === notAnswered ? "timeout" : text };
}
