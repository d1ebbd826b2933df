import { type AttemptLimit, createAttemptLimit } from "./attempt-limit.ts";
import type { LimiterMaker } from "./limiter.ts";

/** The limits by IP address and by person. */
export type Limits = {
	/** Registrations. */
	registrations: AttemptLimit;
	/** New tenants of a registered person. */
	foundings: AttemptLimit;
	/** Answers which reveal that an e-mail address or a slug is taken. */
	takenAnswers: AttemptLimit;
	/** Requests to be sent a link. */
	linkRequests: AttemptLimit;
};

export function createLimits(limiterOf: LimiterMaker, registrationsPerAddressHour: number): Limits {
	const limit = (name: string, most: number, seconds: number) =>
		createAttemptLimit(limiterOf({ name, most, seconds }));
	return {
		registrations: limit("registrations", registrationsPerAddressHour, 3_600),
		foundings: limit("foundings", 10, 3_600),
		takenAnswers: limit("taken", 20, 60),
		linkRequests: limit("links", 20, 60),
	};
}
