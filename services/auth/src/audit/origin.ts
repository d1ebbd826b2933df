import { callOf, preferredLanguage } from "@lango/chassis";
import type { Language } from "@lango/contracts";

/**
 * The actor, IP address, request id and time of a change, for its audit row and its events. `language` is
 * the one that the caller prefers, for mails that the change causes.
 */
export type Origin = {
	actorUserId: string | undefined;
	ip: string;
	requestId: string;
	now: Date;
	language?: Language | undefined;
};

/** The origin of a request's changes. It has no actor if the route requires no credential. */
export function originOf(request: Parameters<typeof callOf>[0], now: Date): Origin {
	const { caller } = callOf(request);
	return {
		actorUserId: caller?.kind === "user" ? caller.userId : undefined,
		ip: request.ip,
		requestId: request.id,
		now,
		language: preferredLanguage(request.headers["accept-language"]),
	};
}
