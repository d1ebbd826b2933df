import { type Answer, accepted, isObject, type Raw, refused, textOf, unknown } from "../calls/answer.ts";
import type { CallGateway, GatewayResponse } from "../calls/call-gateway.ts";
import type { CardProfile } from "../profiles/profile.ts";

/** A request of an operation. Every segment of `path` that varies is encoded. */
type CardRequest = {
	operation: string;
	path: string;
	query?: Readonly<Record<string, string | undefined>>;
	/** Sent by POST; without it the request is a GET. */
	json?: object;
	isMoneyOut?: boolean;
};

/** The card gateway. The operations take it as their first parameter. */
export type CardGateway = {
	profile: CardProfile & { baseUrl: string };
	/**
	 * Sends a request. `read` returns what the operation needs of a 2xx body, undefined if it is not there.
	 */
	send<T>(request: CardRequest, read: (body: Raw) => T | undefined): Promise<Answer<T>>;
};

type Opened = { call: CallGateway; secretKey: string; profile: CardGateway["profile"] };

/** Opens the card gateway for calls. */
export const openCardGateway = ({ call, secretKey, profile }: Opened): CardGateway => ({
	profile,
	send: ({ operation, path, query, json, isMoneyOut }, read) =>
		call(
			{
				...{ profile, operation, path, method: json === undefined ? "GET" : "POST" },
				...(query !== undefined && { query }),
				...(json !== undefined && { json }),
				...(isMoneyOut === true && { isMoneyOut }),
				headers: { authorization: `Bearer ${secretKey}` },
				bucket: {
					...{ key: profile.id, perSecond: profile.settings.per_second },
					isQuery: json === undefined,
				},
			},
			(response) => readCard(response, read, isMoneyOut === true),
		),
});

/**
 * `status` of the body is the call's, and not the money's. HTTP 200 with `false` leaves money out
 * unknown.
 */
function readCard<T>(
	{ status, body }: GatewayResponse,
	read: (body: Raw) => T | undefined,
	isMoneyOut: boolean,
): Answer<T> {
	const isAnswered = (status >= 200 && status < 300) || (status >= 400 && status < 500 && status !== 408);
	if (!isAnswered) return unknown(`http_${status}`);
	const text = textOf(body, "message") ?? "";
	if (status < 400 && body["status"] === false && isMoneyOut) return unknown("status_false");
	if (status >= 400 || body["status"] === false) return refused(codeOf(status, body), text, status === 429);
	const ids = body["status"] === true ? read(body) : undefined;
	return ids === undefined ? unknown("unreadable") : accepted(ids, body);
}

/** A reference that was used before: the object exists. A bulk refusal says so only in its text. */
const duplicateReference = "duplicate_reference";
/** Nothing has this reference. */
const notFound = "not_found";

function codeOf(status: number, body: Raw): string {
	const code = textOf(body, "code");
	if (code === "duplicate_transfer_reference" || /^duplicate ref/i.test(textOf(body, "message") ?? ""))
		return duplicateReference;
	if (status === 404) return notFound;
	// The key is refused, whatever else the body says.
	if (status === 401 || status === 403) return `http_${status}`;
	return code === undefined || code === "unknown" ? `http_${status}` : code;
}

/** The `data` of a body that is an object. */
export const dataOf = ({ data }: Raw): Raw | undefined => (isObject(data) ? data : undefined);

/**
 * The entries of a body whose `data` is a list; undefined if it is something else. An entry that is not an
 * object is an empty one, which nothing reads.
 */
export const listOf = ({ data }: Raw): readonly Raw[] | undefined =>
	Array.isArray(data) ? data.map((one) => (isObject(one) ? one : {})) : undefined;

/** An amount in lowest units: a whole number, or a text of digits; undefined for anything else. */
export function amountOf(object: Raw | undefined, name: string): bigint | undefined {
	const value = object?.[name];
	if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
	return typeof value === "string" && /^-?\d{1,18}$/.test(value) ? BigInt(value) : undefined;
}

/** An amount in lowest units as the gateway takes it. */
export function toGatewayAmount(amountMinor: bigint): number {
	if (amountMinor <= 0n || amountMinor > BigInt(Number.MAX_SAFE_INTEGER))
		throw new Error("an amount of the card gateway is positive and below 2^53");
	return Number(amountMinor);
}
