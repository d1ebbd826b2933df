import { type AttemptLimit, createAttemptLimit } from "./attempt-limit.ts";

/** What strangers may do from one address. */
export type Limits = {
	/** Registrations. */
	registrations: AttemptLimit;
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
		takenAnswers: createAttemptLimit({ name: "taken", most: 20, seconds: 60 }),
		linkRequests: createAttemptLimit({ name: "links", most: 20, seconds: 60 }),
	};
}
