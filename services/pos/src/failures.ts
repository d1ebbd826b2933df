import { defineFailures } from "@lango/chassis";

/** What the point of sale refuses besides what every domain service refuses. */
export const failures = defineFailures({
	terminal_invalid: [
		"unauthenticated",
		"The terminal token (X-Terminal-Token) is missing, unknown or revoked.",
	],
	pin_refused: ["unauthenticated", "The terminal, the person or the PIN is wrong."],
	pin_locked: ["rate_limited", "Too many wrong PINs. Try again later, or set a new PIN."],
	too_many_sign_ins: [
		"rate_limited",
		"Too many sign-ins are in progress for this person, till, network or tenant. Try again in a moment.",
	],
	pin_sign_in_busy: ["unavailable", "Many people are signing in right now. Try again in a moment."],
	terminal_not_found: ["not_found", "There is no such terminal."],
	terminals_full: ["conflict", "There are as many terminals as one tenant may have. Revoke one first."],
	user_not_found: ["not_found", "This service has not met such a person in this tenant."],
	pin_not_found: ["not_found", "This person has no PIN."],
	user_holds_more: [
		"forbidden",
		"This person may do more than you: somebody who may as much changes the PIN.",
	],
});
