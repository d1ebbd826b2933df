export type ClientErrorDetail = {
	message?: string | undefined;
	status?: number | undefined;
	requestId?: string | undefined;
	retryAfterSeconds?: number | undefined;
	body?: Readonly<Record<string, unknown>> | undefined;
	cause?: unknown;
};

/**
 * What a service refused, or why it could not be asked. `code` is the service's stable code, or one of the client's own:
 * `unreachable` (no answer), `late` (no answer in time), `unreadable` (an answer that is no JSON), `refused` (a refusal in no known
 * form), `signed_out` (there is no token to ask with), and those of the callback (`state_unknown`, `state_mismatch`,
 * `issuer_mismatch`, `code_missing`), of the bridge (`sync_timed_out`) and of outlets (`outlet_not_chosen`).
 */
export class ClientError extends Error {
	readonly code: string;
	/** The HTTP status; absent when there was no answer. */
	readonly status: number | undefined;
	/** What the platform's operators find the request by. */
	readonly requestId: string | undefined;
	/** How long the service asks to wait, from Retry-After. */
	readonly retryAfterSeconds: number | undefined;
	/** Every member of the refusal: `field`, `upgrade`, and what the code brings along. */
	readonly body: Readonly<Record<string, unknown>>;

	constructor(code: string, detail: ClientErrorDetail = {}) {
		super(detail.message ?? code, { cause: detail.cause });
		this.name = "ClientError";
		this.code = code;
		this.status = detail.status;
		this.requestId = detail.requestId;
		this.retryAfterSeconds = detail.retryAfterSeconds;
		this.body = detail.body ?? {};
	}
}

/** Returns whether a service refused the outlet of X-Outlet-ID. */
export const isOutletRefused = (error: unknown): boolean =>
	error instanceof ClientError && error.code === "outlet_forbidden";

type Answer = Pick<Response, "status" | "headers">;

/** Reads a refusal in the platform's form `{error, code, request_id}` or RFC 6749's `{error, error_description}`. */
export function toClientError(body: unknown, { status, headers }: Answer, now: number): ClientError {
	const read = isRecord(body) ? body : {};
	const { error, error_description, code, request_id } = read;
	const isOAuth = code === undefined;
	return new ClientError(textOf(isOAuth ? error : code) ?? "refused", {
		message: textOf(isOAuth ? (error_description ?? error) : error),
		status,
		requestId: textOf(request_id) ?? textOf(headers.get("x-request-id")),
		retryAfterSeconds: retryAfterSeconds(headers.get("retry-after"), now),
		body: read,
	});
}

/** Retry-After as RFC 9110 §10.2.3 has it: seconds, or a date. */
function retryAfterSeconds(header: string | null, now: number): number | undefined {
	if (header === null) return undefined;
	if (/^\d{1,9}$/.test(header)) return Number(header);
	const until = Date.parse(header);
	return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil((until - now) / 1_000));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text that says something; anything else is absent. */
export function textOf(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}
