import { ClientError, explainError } from "@lango/client";
import { type NoticeTexts, useNoticeTexts } from "./texts.ts";

export type Explained = {
	/** What happened and what to do. It says when to try again only where that is not counted down. */
	message: string;
	/** How long to wait before another attempt. */
	retryAfterSeconds: number | undefined;
	/** The message with the time to wait, where it is not counted down. */
	text: string;
	/** The invalid field, as the service names it; undefined if the error names none. */
	field: string | undefined;
	/** The request's reference, if only support can help. */
	reference: string | undefined;
	/** Whether the subscription is the cause: a link to the plans is shown beside the message (§7). */
	isUpgrade: boolean;
};

/** A page's messages by error code, or by `<code>.<reason>`. They take precedence over the general ones. */
export type ErrorMessages = Readonly<Record<string, string>>;

/** Returns `explain(error)` in the language of the page. */
export function useExplain(messages: ErrorMessages = {}): (error: unknown) => Explained {
	const texts = useNoticeTexts();
	return (error) => explain(error, { texts, messages });
}

type Words = { texts: NoticeTexts; messages: ErrorMessages };

/**
 * Returns the message for an error: the page's message for its code, otherwise a general one. It has the
 * request's reference if only support can help.
 */
export function explain(error: unknown, { texts, messages }: Words): Explained {
	const { code, requestId, body } = error instanceof ClientError ? error : new ClientError("unknown");
	const field = typeof body["field"] === "string" ? body["field"] : undefined;
	const precise = `${code}.${String(body["reason"])}`;
	const named = [precise, code].find((name) => Object.hasOwn(messages, name));
	const known = named === undefined ? general(error, code, texts) : messages[named];
	const problem = known ?? (field === undefined ? texts.errors.unknown : texts.invalidField(field));
	const isOurs = known === undefined || explainError(error) === "unavailable";
	const reference = isOurs && requestId !== undefined ? texts.reference(requestId) : undefined;
	const isUpgrade = explainError(error) === "upgrade";
	const seconds = error instanceof ClientError ? error.retryAfterSeconds : undefined;
	const retryAfterSeconds = seconds === undefined ? undefined : Math.max(1, seconds);
	const message = isUncounted(error) ? `${problem} ${texts.retryLater}` : problem;
	const text = retryAfterSeconds === undefined ? message : `${message} ${texts.retryIn(retryAfterSeconds)}`;
	return { message, retryAfterSeconds, text, field, reference, isUpgrade };
}

/** Whether another attempt may succeed, after a time that the service does not name. */
const isUncounted = (error: unknown) =>
	error instanceof ClientError &&
	error.retryAfterSeconds === undefined &&
	(error.status === 429 || (error.status ?? 0) >= 500);

function general(error: unknown, code: string, { errors }: NoticeTexts): string | undefined {
	const kind = explainError(error);
	if (kind === "upgrade" || kind === "unauthorized" || kind === "pending" || kind === "signed_out")
		return errors[kind];
	if (code !== "unknown" && code !== "invalid_input" && Object.hasOwn(errors, code))
		return errors[code as keyof typeof errors];
	const status = error instanceof ClientError ? error.status : undefined;
	if (status === 404) return errors.not_found;
	if (status === 409) return errors.conflict;
	return status !== undefined && status >= 500 ? errors.unavailable : undefined;
}
