import { type Answer, accepted, type Raw, refused, textOf, unknown } from "../calls/answer.ts";
import type { GatewayResponse, ReadResponse } from "../calls/call-gateway.ts";

/** All three mean that the access token is not valid, so nothing was done (design 8.2). */
const invalidToken: ReadonlySet<string> = new Set(["400.003.01", "401.002.01", "404.001.03"]);
/** Spike arrest or busy, and quota: the gateway's door refused before it looked. */
const limited: ReadonlySet<string> = new Set(["500.003.02", "500.003.03"]);
const beingProcessed = "500.001.1001";

/** Whether an answer says that the access token is not valid. */
export const isTokenInvalid = (answer: Answer<unknown>): boolean =>
	answer.is === "refused" && invalidToken.has(answer.code);

/** The code of an asynchronous refusal, and its text. Standing orders have another shape than the rest. */
function errorOf({ status, body }: GatewayResponse): { code: string; text: string } {
	const code = textOf(body, "errorCode") ?? textOf(body, "responseCode") ?? `http_${status}`;
	return { code, text: textOf(body, "errorMessage") ?? textOf(body, "responseMessage") ?? "" };
}

function readError<T>(response: GatewayResponse): Answer<T> {
	const { status } = response;
	const { code, text } = errorOf(response);
	if (invalidToken.has(code) || limited.has(code) || status === 429) return refused(code, text, true);
	if (/duplicate/i.test(text) && status >= 500) return unknown("duplicate_originator");
	if (status >= 500 || status < 400 || status === 408) return unknown(code);
	return refused(code, text);
}

/**
 * Reads an answer of the mobile-money gateway: `read` returns what the operation needs of a 2xx body,
 * undefined if the body does not say that the request was taken.
 */
export const readWith =
	<T>(read: (body: Raw) => T | undefined): ReadResponse<T> =>
	(response) => {
		const { status, body } = response;
		if (status < 200 || status >= 300) return readError(response);
		const ids = read(body);
		if (ids !== undefined) return accepted(ids, body);
		const code = textOf(body, "ResponseCode");
		return code === undefined
			? unknown("unreadable")
			: refused(code, textOf(body, "ResponseDescription") ?? "");
	};

/**
 * Reads an answer to a prompt. "Unable to lock subscriber" means that another prompt is on the phone, which
 * the code alone does not say. Money out has no such answer: there the code leaves it unknown.
 */
export function readPromptWith<T>(read: (body: Raw) => T | undefined): ReadResponse<T> {
	const readOther = readWith(read);
	return (response) => {
		const { code, text } = errorOf(response);
		const isLocked = response.status >= 500 && code === beingProcessed && /\block(?:ed)?\b/i.test(text);
		return isLocked ? refused(code, text, true) : readOther(response);
	};
}

/** The ids of a request whose result comes by a callback. */
export type Conversation = { conversationId: string | undefined; originatorId: string | undefined };

/** Reads the answer to a request whose result comes by a callback. */
export const readConversation = readWith<Conversation>((body) =>
	textOf(body, "ResponseCode") === "0"
		? {
				conversationId: textOf(body, "ConversationID"),
				// Some answers spell it without an n.
				originatorId: textOf(body, "OriginatorConversationID") ?? textOf(body, "OriginatorCoversationID"),
			}
		: undefined,
);
