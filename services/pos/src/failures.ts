import { defineFailures } from "@lango/chassis";

/** The failures of the point of sale, besides those of every domain service. */
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
	terminal_not_found: ["not_found", "Terminal not found."],
	terminals_full: ["conflict", "The limit of terminals per tenant is reached. Revoke one first."],
	user_not_found: [
		"not_found",
		"User not found. The person must have used this service in this tenant before.",
	],
	pin_not_found: ["not_found", "This person has no PIN."],
	user_holds_more: [
		"forbidden",
		"This person has permissions that you do not have. Ask an administrator to change the PIN.",
	],
});
