import { memberAt, textOf } from "../../../inbox/read-body.ts";
import { type Reading, unreadable } from "../../../inbox/reading.ts";

/** Reads what a payer answered to a standing order, in camel or Pascal case. */
export function readStandingOrder(body: unknown): Reading {
	const code = textOf(memberAt(body, "ResponseHeader", "responseCode"));
	const requestId = textOf(memberAt(body, "ResponseHeader", "responseRefID"));
	if (code === undefined || requestId === undefined) return unreadable;
	return { kind: "consent", result: { code, requestId } };
}
