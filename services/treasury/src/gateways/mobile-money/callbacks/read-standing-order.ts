import { memberAt, textOf } from "../../../inbox/read-body.ts";
import { parked, type Reading, unreadable } from "../../../inbox/reading.ts";

/** Reads the callback of a standing order, in camel or Pascal case. Standing orders are not handled yet. */
export function readStandingOrder(body: unknown): Reading {
	const code = textOf(memberAt(body, "ResponseHeader", "responseCode"));
	const requestId = textOf(memberAt(body, "ResponseHeader", "requestRefID"));
	if (code === undefined || requestId === undefined) return unreadable;
	return parked("standing orders are not handled yet");
}
