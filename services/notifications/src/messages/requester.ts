import type { Caller } from "@lango/chassis";
import type { MessageRequest } from "../message.ts";

/** Returns what a message stores of its caller, and what the caller's token says of the plan. */
export function requesterOf(caller: Caller): Pick<MessageRequest, "requester" | "claims" | "isUnlimited"> {
	if (caller.kind === "user")
		return {
			requester: { kind: "user", id: caller.userId },
			claims: caller.claims,
			isUnlimited: caller.isSuperuser,
		};
	return {
		requester:
			caller.kind === "client" ? { kind: "client", id: caller.clientId } : { kind: "key", id: caller.keyId },
	};
}
