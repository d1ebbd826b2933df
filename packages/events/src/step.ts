/**
 * The steps of relay and consumer. A process may die between any two of them, and another one continues. The
 * tests kill a process after each step.
 */
export const steps = [
	"events read",
	"event sent",
	"event acknowledged",
	"refusal recorded",
	"events marked",
	"marks committed",
	"messages fetched",
	"messages stored",
	"messages acknowledged",
	"delivery taken",
	"effect applied",
	"effect committed",
	"effect failed",
	"delivery parked",
	"delivery discarded",
	"delivery marked dead",
	"dead letter redriven",
	"dead letter removed",
] as const;

export type Step = (typeof steps)[number];

/** Called after each step. Work waits for it. */
export type At = (step: Step) => void;
