import { callOf } from "@lango/chassis";
import { type Language, languages } from "@lango/contracts";

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

const rangesMax = 20;

/**
 * Returns the supported language that Accept-Language prefers (RFC 9110 §12.5.4); undefined if it names
 * none.
 */
function preferredLanguage(header: string | undefined): Language | undefined {
	const ranges = (header ?? "").split(",").slice(0, rangesMax).map(readRange);
	const wanted = ranges
		.filter(({ weight }) => weight > 0)
		.toSorted((one, other) => other.weight - one.weight);
	return wanted.flatMap(({ tag }) => languages.filter((language) => language === tag)).at(0);
}

function readRange(range: string): { tag: string; weight: number } {
	const [name = "", quality] = range.split(";q=");
	const [tag = ""] = name.trim().toLowerCase().split("-");
	const weight = quality === undefined ? 1 : Number(quality);
	return { tag, weight: Number.isFinite(weight) ? weight : 0 };
}
