import { type AttemptLimit, createAttemptLimit } from "./attempt-limit.ts";

/** What may be done from one address, and by one person. */
export type Limits = {
	/** Registrations. */
	registrations: AttemptLimit;
	/** Tenants a person makes who has an identity already. */
	foundings: AttemptLimit;
	/** Answers that tell that an e-mail address or a slug is taken. */
	takenAnswers: AttemptLimit;
	/** Requests to be sent a link. */
	linkRequests: AttemptLimit;
};

export function createLimits(registrationsPerAddressHour: number): Limits {
	return {
		registrations: createAttemptLimit({
			name: "registrations",
			most: registrationsPerAddressHour,
			seconds: 3_600,
		}),
		foundings: createAttemptLimit({ name: "foundings", most: 10, seconds: 3_600 }),
		takenAnswers: createAttemptLimit({ name: "taken", most: 20, seconds: 60 }),
		linkRequests: createAttemptLimit({ name: "links", most: 20, seconds: 60 }),
	};
}
