/**
 * A request the sign-on service refused, or that never reached it. `code` is the service's stable code;
 * two codes are made here: `unreachable` (no answer at all) and `unknown` (an answer not in the platform's form).
 */
export class Refusal extends Error {
	readonly code: string;
	/** The HTTP status; absent when there was no answer. */
	readonly status: number | undefined;
	/** The input the service names, for `invalid_input`. */
	readonly field: string | undefined;
	/** How long the service asks to wait, from Retry-After. */
	readonly retryAfterSeconds: number | undefined;
	/** What the platform's operators find the request by. */
	readonly requestId: string | undefined;

	constructor(code: string, detail: RefusalDetail = {}) {
		super(code, { cause: detail.cause });
		this.name = "Refusal";
		this.code = code;
		this.status = detail.status;
		this.field = detail.field;
		this.retryAfterSeconds = detail.retryAfterSeconds;
		this.requestId = detail.requestId;
	}
}

export type RefusalDetail = {
	status?: number | undefined;
	field?: string | undefined;
	retryAfterSeconds?: number | undefined;
	requestId?: string | undefined;
	cause?: unknown;
};

type Answer = Pick<Response, "status" | "headers">;

/** Reads a refusal from an answer in the form `{error, code, request_id, field?}`. `now` is in milliseconds. */
export function toRefusal(body: unknown, { status, headers }: Answer, now: number): Refusal {
	const { code, field, request_id } = isRecord(body) ? body : {};
	return new Refusal(textOf(code) ?? "unknown", {
		status,
		field: textOf(field),
		retryAfterSeconds: retryAfterSeconds(headers.get("retry-after"), now),
		requestId: textOf(request_id) ?? textOf(headers.get("x-request-id")),
	});
}

/** Retry-After as RFC 9110 §10.2.3 has it: seconds, or a date. */
function retryAfterSeconds(header: string | null, now: number): number | undefined {
	if (header === null) return undefined;
	if (/^\d{1,9}$/.test(header)) return Number(header);
	const until = Date.parse(header);
	return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil((until - now) / 1000));
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}

function textOf(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}
