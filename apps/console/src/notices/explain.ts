import { ClientError, explainError } from "@lango/client";
import { type NoticeTexts, useNoticeTexts } from "./texts.ts";

export type Explained = {
	/** What happened and what to do. */
	message: string;
	/** The input to mend, by the name the service gave it; undefined when none is to blame. */
	field: string | undefined;
	/** A line for support, when only they can help. */
	reference: string | undefined;
	/** Whether the subscription is in the way: the plans are offered beside the words (§7). */
	isUpgrade: boolean;
};

/** A page's own words by a service's code; they go before the general ones. */
export type OwnWords = Readonly<Record<string, string>>;

/** What explains a failure in the language of the page: `explain(error)`. */
export function useExplain(own: OwnWords = {}): (error: unknown) => Explained {
	const texts = useNoticeTexts();
	return (error) => explain(error, { texts, own });
}

/** Turns what failed into words: the page's own for its code, else the general ones; with a reference where nobody else can help. */
export function explain(error: unknown, { texts, own }: { texts: NoticeTexts; own: OwnWords }): Explained {
	const { code, requestId, body } = error instanceof ClientError ? error : new ClientError("unknown");
	const field = typeof body["field"] === "string" ? body["field"] : undefined;
	const said = Object.hasOwn(own, code) ? own[code] : general(error, code, texts);
	const message = said ?? (field === undefined ? texts.refusal.unknown : texts.invalidField(field));
	const isOurs = said === undefined || explainError(error) === "unavailable";
	const reference = isOurs && requestId !== undefined ? texts.reference(requestId) : undefined;
	const isUpgrade = explainError(error) === "upgrade";
	return { message: [message, waitOf(error, texts)].filter(Boolean).join(" "), field, reference, isUpgrade };
}

function general(error: unknown, code: string, { refusal }: NoticeTexts): string | undefined {
	const kind = explainError(error);
	if (kind === "upgrade" || kind === "unauthorized" || kind === "pending" || kind === "signed_out")
		return refusal[kind];
	if (code !== "unknown" && code !== "invalid_input" && Object.hasOwn(refusal, code))
		return refusal[code as keyof typeof refusal];
	const status = error instanceof ClientError ? error.status : undefined;
	if (status === 404) return refusal.not_found;
	if (status === 409) return refusal.conflict;
	return status !== undefined && status >= 500 ? refusal.unavailable : undefined;
}

function waitOf(error: unknown, texts: NoticeTexts): string | undefined {
	const seconds = error instanceof ClientError ? error.retryAfterSeconds : undefined;
	return seconds === undefined ? undefined : texts.retryIn(Math.max(1, seconds));
}
