/**
 * The kinds of failures. A kind decides the HTTP status and whether a retry can help; a code, declared by
 * the owning service, states the exact reason. Throw a Failure for an error of the caller; throw any other
 * error only for bugs, which become `internal`.
 */
export const failureStatus = {
	invalid_input: 400,
	unauthenticated: 401,
	forbidden: 403,
	subscription_inactive: 403,
	not_found: 404,
	method_not_allowed: 405,
	conflict: 409,
	payload_too_large: 413,
	unsupported_media_type: 415,
	rate_limited: 429,
	internal: 500,
	unavailable: 503,
} as const;

export type FailureKind = keyof typeof failureStatus;

/** `message`, `fields` and `headers` reach the caller; `cause` reaches only the log. */
export type FailureDetail = {
	message: string;
	fields?: Record<string, unknown>;
	headers?: Record<string, string>;
	cause?: unknown;
};

export class Failure extends Error {
	readonly kind: FailureKind;
	readonly code: string;
	readonly fields: Record<string, unknown>;
	readonly headers: Record<string, string>;

	constructor(kind: FailureKind, code: string, { message, fields = {}, headers = {}, cause }: FailureDetail) {
		super(message, { cause });
		this.name = "Failure";
		this.kind = kind;
		this.code = code;
		this.fields = fields;
		this.headers = headers;
	}
}

/** A table of failures: code → kind and message for the caller. Codes are public: never rename one. */
export type FailureTable = Record<string, readonly [kind: FailureKind, message: string]>;
type Build = (detail?: Partial<FailureDetail>) => Failure;

/** Creates a constructor for each code of a table; the table is available as `failureTable`. */
export function defineFailures<const C extends FailureTable>(table: C): { [Code in keyof C]: Build } {
	const entries = Object.entries(table).map(([code, [kind, message]]) => [
		code,
		(detail?: Partial<FailureDetail>) => new Failure(kind, code, { message, ...detail }),
	]);
	const build = Object.fromEntries(entries) as { [Code in keyof C]: Build };
	tables.set(build, table);
	return build;
}

const tables = new WeakMap<object, FailureTable>();

/** The table of a set of constructors, for the generated list of failures. */
export function failureTableOf(build: object): FailureTable {
	const table = tables.get(build);
	if (table === undefined) throw new Error("these failures were not made by defineFailures");
	return table;
}

/** The failures of the chassis; every service has them. */
export const chassisFailures = defineFailures({
	invalid_input: ["invalid_input", "The request is invalid."],
	malformed_body: ["invalid_input", "The body is not valid for its content type."],
	token_invalid: ["unauthenticated", "The access token is missing, invalid or expired."],
	api_key_invalid: ["unauthenticated", "The API key is not valid."],
	forbidden: ["forbidden", "forbidden"],
	insufficient_scope: ["forbidden", "The access token lacks the required scope."],
	account_pending: ["forbidden", "Your access is waiting for approval."],
	tenant_not_found: ["not_found", "Tenant not found."],
	tenant_required: ["invalid_input", "The query parameter tenantId is required."],
	outlet_forbidden: ["forbidden", "You do not have access to this outlet."],
	subscription_inactive: [
		"subscription_inactive",
		"The subscription is not active. Renew it to make changes.",
	],
	feature_unavailable: ["forbidden", "This feature is not available on the current plan."],
	limit_reached: ["forbidden", "A limit of the current plan is reached."],
	product_unavailable: ["forbidden", "The current plan does not include this product."],
	entitlements_unavailable: [
		"unavailable",
		"The subscription cannot be checked right now. Try again shortly.",
	],
	not_found: ["not_found", "Not found."],
	method_not_allowed: ["method_not_allowed", "This path does not support that method."],
	body_too_large: ["payload_too_large", "The body is too large."],
	media_type_unsupported: ["unsupported_media_type", "This content type is not supported."],
	tenant_busy: ["rate_limited", "Too many requests of this tenant are in progress. Try again in a moment."],
	rate_limited: ["rate_limited", "Too many requests. Try again later."],
	unavailable: ["unavailable", "The service is unavailable. Try again shortly."],
	internal: ["internal", "An internal error occurred. Include the request_id when you report it."],
});
