import { chassisFailures, type Failure } from "../request/failure.ts";
import { unreadablePath } from "../request/readable-path.ts";

/** Names the limit of the route in bytes. */
const bodyTooLarge = (limit?: number) =>
	limit === undefined
		? chassisFailures.body_too_large()
		: chassisFailures.body_too_large({
				message: `The body is larger than ${Math.floor(limit / 1_024)} KB, the limit of this address.`,
				fields: { limit_bytes: limit },
			});

const malformedBody = () => chassisFailures.malformed_body({ fields: { field: "body", in: "body" } });

/** Fastify errors that a request can cause, by error code. Every other code is a bug: `internal`. */
const callerFaults: Readonly<Record<string, (bodyLimit?: number) => Failure>> = {
	FST_ERR_NOT_FOUND: () => chassisFailures.not_found(),
	FST_ERR_BAD_URL: unreadablePath,
	FST_ERR_MAX_PARAM_LENGTH: () =>
		chassisFailures.invalid_input({
			message: "The path has a parameter that is too long.",
			fields: { field: "path", in: "path" },
		}),
	FST_ERR_VALIDATION: () => chassisFailures.invalid_input(),
	FST_ERR_CTP_BODY_TOO_LARGE: bodyTooLarge,
	FST_ERR_CTP_INVALID_MEDIA_TYPE: () => chassisFailures.media_type_unsupported(),
	FST_ERR_CTP_INVALID_CONTENT_LENGTH: malformedBody,
	FST_ERR_CTP_EMPTY_JSON_BODY: malformedBody,
	FST_ERR_CTP_INVALID_JSON_BODY: malformedBody,
	FST_ERR_ROUTE_MISSING_CONTENT: malformedBody,
	FST_ERR_ROUTE_MISSING_CONTENT_TYPE: () => chassisFailures.media_type_unsupported(),
	FST_ERR_HANDLER_TIMEOUT: () => chassisFailures.unavailable(),
};

/**
 * Returns the failure for an error of Fastify that a request caused; undefined for a bug. `bodyLimit` is
 * the body limit of the route in bytes, if a route was found.
 */
export function failureOfFastify(error: unknown, bodyLimit?: number): Failure | undefined {
	if (!(error instanceof Error)) return undefined;
	const { code, statusCode } = error as Error & { code?: string; statusCode?: number };
	// Fastify returns 400 if the caller disconnected before the body was read to its end.
	if (statusCode === 400 && code === "ECONNRESET") return malformedBody();
	return code === undefined || !Object.hasOwn(callerFaults, code)
		? undefined
		: callerFaults[code]?.(bodyLimit);
}
