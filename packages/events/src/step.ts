/**
 * What relay and consumer do, one after the other: between any two a process may die, and another goes on from there. The
 * tests kill one at each.
 */
export const steps = [
	"events read",
	"event sent",
	"event acknowledged",
	"refusal noted",
	"events marked",
	"marks committed",
	"messages fetched",
	"messages taken over",
	"messages acknowledged",
	"delivery taken",
	"effect had",
	"effect committed",
	"effect failed",
	"delivery parked",
	"delivery given up",
	"delivery buried",
	"dead letter redriven",
	"dead letter removed",
] as const;

export type Step = (typeof steps)[number];

/** Told of each step when it is done; for whoever watches or tests, and work waits for it. */
export type At = (step: Step) => void;
