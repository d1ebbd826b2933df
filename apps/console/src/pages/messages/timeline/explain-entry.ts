import type { TimelineEntry } from "../state/message.queries.ts";
import type { TimelineTexts } from "./texts.ts";
import { meaningOf, saysBadAddress } from "./vendor-codes.ts";

/** What happened to a delivery, in words. */
export type Explained = {
	text: string;
	/** Why, if there is a code. */
	because?: string;
	/** When the next attempt follows. */
	nextAt?: string;
};

type Words = Readonly<Record<string, string>>;

/** Explains an entry of a timeline. An unknown kind or code has a general sentence that names it. */
export function explainEntry({ kind, detail }: TimelineEntry, texts: TimelineTexts): Explained {
	const code = textOf(detail["code"]);
	const nextAt = textOf(detail["next_at"]);
	return {
		text: describe(kind, detail, texts),
		...(code !== undefined && { because: explainCode(code, texts) }),
		...(nextAt !== undefined && { nextAt }),
	};
}

/** RFC 3463: no such mailbox, no such domain, wrong syntax, moved, no mail accepted (RFC 7505). */
const badMailAddress = /^smtp_5\d\d_5\.1\.(1|2|3|6|10)$/;

/** Whether a refusal says that the address does not exist, so that it is suppressed. */
export const isAddressBad = (code: string | null): boolean =>
	code !== null && (badMailAddress.test(code) || saysBadAddress(code));

/** Explains the code of an error. */
export function explainCode(code: string, texts: TimelineTexts): string {
	const status = /^http_(\d{3})$/.exec(code)?.[1];
	if (status !== undefined) return texts.httpCode(status);
	const [, reply, enhanced = ""] = /^smtp_(\d{3})(?:_([\d.]+))?$/.exec(code) ?? [];
	if (reply === undefined) return wordOf(texts.codes, meaningOf(code) ?? code) ?? texts.unknownCode(code);
	const answer = `${reply} ${enhanced}`.trim();
	return isAddressBad(code) ? texts.badMailAddress(answer) : texts.mailCode(answer);
}

function describe(kind: string, detail: TimelineEntry["detail"], texts: TimelineTexts): string {
	if (kind === "attempt") return describeAttempt(detail, texts);
	const value = textOf(detail[kind]) ?? kind;
	if (kind === "report") {
		const text = wordOf(texts.reports, value) ?? texts.unknownReport(value);
		return detail["looked_up"] === true ? `${text} ${texts.lookedUp}` : text;
	}
	if (value === "paused" && detail["cause"] !== undefined)
		return wordOf(texts.pauses, String(detail["cause"])) ?? texts.pauses.other;
	return wordOf(texts.decisions, value) ?? texts.unknownDecision(value);
}

function describeAttempt(detail: TimelineEntry["detail"], texts: TimelineTexts): string {
	const outcome = textOf(detail["outcome"]) ?? "";
	const provider = textOf(detail["provider"]);
	const count = textOf(detail["attempt"]);
	const text = wordOf(texts.outcomes, outcome) ?? texts.unknownOutcome(outcome);
	const start = count === undefined ? "" : `${texts.attempt(count)} `;
	return provider === undefined ? `${start}${text}` : `${start}${text} ${texts.provider(provider)}`;
}

const textOf = (value: unknown) =>
	typeof value === "string" || typeof value === "number" ? String(value) : undefined;

const wordOf = (words: Words, code: string) => (Object.hasOwn(words, code) ? words[code] : undefined);
