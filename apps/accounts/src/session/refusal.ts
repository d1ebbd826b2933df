/**
 * A failed request. `code` is the stable code of the service, `unreachable` (no response) or `unknown` (a
 * response in an unknown form).
 */
export class Refusal extends Error {
	readonly code: string;
	/** The HTTP status; undefined without a response. */
	readonly status: number | undefined;
	/** The invalid field, for `invalid_input`. */
	readonly field: string | undefined;
	/** The delay before a retry, from Retry-After. */
	readonly retryAfterSeconds: number | undefined;
	/** Identifies the request in the logs of the platform. */
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

type ResponseHead = Pick<Response, "status" | "headers">;

/** Reads an error response `{error, code, request_id, field?}`. `now` is in milliseconds. */
export function toRefusal(body: unknown, { status, headers }: ResponseHead, now: number): Refusal {
	const { code, field, request_id } = isRecord(body) ? body : {};
	return new Refusal(textOf(code) ?? "unknown", {
		status,
		field: textOf(field),
		retryAfterSeconds: retryAfterSeconds(headers.get("retry-after"), now),
		requestId: textOf(request_id) ?? textOf(headers.get("x-request-id")),
	});
}

/** Reads Retry-After (RFC 9110 §10.2.3): seconds, or a date. */
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
