/** The body of a gateway's answer: a JSON object as it came, except that integers beyond 2^53 are texts. */
export type Raw = Readonly<Record<string, unknown>>;

/** The gateway took the request. `ids` is what the operation reads of the answer. */
export type Accepted<T> = { is: "accepted"; ids: T; raw: Raw };

/** The gateway did not take the request, or it was not sent: nothing happened there. */
export type Refused = { is: "refused"; code: string; text: string; isRetryable: boolean };

/** Whether the gateway took the request is not known. Never a failure: it has to be found out. */
export type Unknown = { is: "unknown"; because: string };

/** The answer of every operation of a gateway. */
export type Answer<T> = Accepted<T> | Refused | Unknown;

export const accepted = <T>(ids: T, raw: Raw): Accepted<T> => ({ is: "accepted", ids, raw });

export const refused = (code: string, text: string, isRetryable = false): Refused => ({
	...{ is: "refused", code, text, isRetryable },
});

export const unknown = (because: string): Unknown => ({ is: "unknown", because });

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

const keepLargeIntegers: Reviver = (_key, value, { source }) =>
	typeof value === "number" && source !== undefined && /^-?\d+$/.test(source) && !Number.isSafeInteger(value)
		? source
		: value;

/** Parses JSON; integers beyond 2^53 are returned as text. Throws a SyntaxError. */
export const parseJson = (text: string): unknown => JSON.parse(text, keepLargeIntegers as never);

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is Raw =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** A member that is a text or a number, as text; undefined if it is absent, empty or something else. */
export function textOf(object: Raw | undefined, name: string): string | undefined {
	const value = object?.[name];
	if (typeof value === "number") return String(value);
	return typeof value === "string" && value !== "" ? value : undefined;
}
