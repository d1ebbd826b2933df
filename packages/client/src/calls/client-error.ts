export type ClientErrorDetail = {
	message?: string | undefined;
	status?: number | undefined;
	requestId?: string | undefined;
	retryAfterSeconds?: number | undefined;
	body?: Readonly<Record<string, unknown>> | undefined;
	cause?: unknown;
};

/**
 * A call failed. `code` is the stable code of the service, or a code of the client:
 *
 * - request: `unreachable` (no response), `late` (no response in time), `unreadable` (the response has an
 *   unexpected form), `refused` (an error response in an unknown form), `signed_out` (there are no tokens);
 * - callback: `state_unknown`, `state_mismatch`, `issuer_mismatch`, `code_missing`;
 * - session: `sync_timed_out` (no profile within 15 s), `outlet_forbidden` (outside the token's scope).
 */
export class ClientError extends Error {
	readonly code: string;
	/** The HTTP status; undefined without a response. */
	readonly status: number | undefined;
	/** Identifies the request in the logs of the platform. */
	readonly requestId: string | undefined;
	/** The delay before a retry, from Retry-After. */
	readonly retryAfterSeconds: number | undefined;
	/** The body of the error response, with `field`, `upgrade` and other members. */
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

/**
 * Reads an error response in the platform's form `{error, code, request_id}` or RFC 6749's
 * `{error, error_description}`.
 */
export function toClientError(
	body: unknown,
	{ status, headers }: Pick<Response, "status" | "headers">,
	now: number,
): ClientError {
	const read = recordOf(body);
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

/** Reads Retry-After (RFC 9110 §10.2.3): seconds, or a date. */
function retryAfterSeconds(header: string | null, now: number): number | undefined {
	if (header === null) return undefined;
	if (/^\d{1,9}$/.test(header)) return Number(header);
	const until = Date.parse(header);
	return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil((until - now) / 1_000));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is a record, else an empty one. */
export function recordOf(value: unknown): Record<string, unknown> {
	return isRecord(value) ? value : {};
}

/** The value if it is a non-empty string, else undefined. */
export function textOf(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}
