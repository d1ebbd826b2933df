import type { Ids } from "@lango/sandbox-base";

/** A call that the gateway refuses at once, with its code and text. */
export class Refusal extends Error {
	override name = "Refusal";
	readonly status: number;
	readonly code: string;
	/** A body in another form than that of `toErrorBody`. */
	body: object | undefined;

	constructor(status: number, code: string, message: string) {
		super(message);
		this.status = status;
		this.code = code;
	}
}

/** A member of the body is missing or wrong. */
export const invalidField = (name: string) => new Refusal(400, "400.002.02", `Bad Request - Invalid ${name}`);

export const refusals = {
	payload: () => new Refusal(400, "400.002.05", "Invalid Request Payload"),
	credentials: () => new Refusal(400, "400.008.01", "Invalid Authentication passed"),
	grantType: () => new Refusal(400, "400.008.02", "Invalid grant type passed"),
	token: () => new Refusal(404, "404.001.03", "Invalid Access Token"),
	header: () => new Refusal(404, "404.001.04", "Invalid Authentication Header"),
	path: () => new Refusal(404, "404.001.01", "Resource not found"),
	password: () => new Refusal(500, "500.001.1001", "Wrong credentials"),
	pending: () => new Refusal(500, "500.001.1001", "The transaction is being processed"),
	locked: () =>
		new Refusal(
			...([500, "500.001.1001"] as const),
			"Unable to lock subscriber, a transaction is already in process for the current subscriber",
		),
	duplicate: () => new Refusal(500, "500.002.1001", "Duplicate OriginatorConversationID."),
	registered: () => new Refusal(500, "500.003.1001", "Urls are already registered"),
	internal: () => new Refusal(500, "500.003.1001", "Internal Server Error"),
	spike: () => new Refusal(500, "500.003.02", "Error Occurred: Spike Arrest Violation"),
	quota: () => new Refusal(500, "500.003.03", "Error Occurred: Quota Violation"),
};

/** The body of a refusal. */
export const toErrorBody = (ids: Ids, ordinal: number, { code, message, body }: Refusal): object =>
	body ?? { requestId: requestId(ids, ordinal), errorCode: code, errorMessage: message };

/** An id in the gateway's form, `1c5b-4ba8-815c-ac45c57a3db01495926`. */
export function requestId(ids: Ids, ordinal: number, purpose = "request"): string {
	const hex = ids.hex(ordinal, purpose, 24);
	const number = String(Number.parseInt(ids.hex(ordinal, `${purpose} number`, 8), 16)).padStart(7, "0");
	return `${hex.slice(0, 4)}-${hex.slice(4, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 24)}${number.slice(-7)}`;
}
