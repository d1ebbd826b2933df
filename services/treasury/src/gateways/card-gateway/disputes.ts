import type { StatedDispute } from "../../outcomes/evidence/refund-evidence.ts";
import { type Answer, type Raw, textOf } from "../calls/answer.ts";
import { type CardGateway, dataOf, listOf } from "./account.ts";
import { readDispute, readEnd } from "./read-dispute.ts";
import { type CardPage, pageQuery } from "./transactions.ts";

/** A dispute as an answer states it. */
export type AnsweredDispute = StatedDispute & {
	/** The merchant has answered, and the bank decides. */
	isAtBank: boolean;
	/** The gateway's words for its state if they are not known: nothing follows from them. */
	oddWord: string | undefined;
};

/** The gateway's words for a dispute that is not decided, and whether the bank decides. */
const openWords = new Map([
	["awaiting-merchant-feedback", false],
	["awaiting-bank-feedback", true],
	["pending", true],
]);

/** Reads the dispute of an answer; undefined without an id or money. */
function readAnswered(data: Raw | undefined): AnsweredDispute | undefined {
	const [word = "", resolution = ""] = [textOf(data, "status"), textOf(data, "resolution")];
	const end = word === "resolved" ? readEnd(data) : undefined;
	const stated = readDispute(data, end ?? "open");
	const isKnown = end !== undefined || openWords.has(word);
	return (
		stated && {
			...{ ...stated, isAtBank: openWords.get(word) ?? false },
			oddWord: isKnown ? undefined : `${word} ${resolution}`.trim(),
		}
	);
}

/**
 * Lists disputes by when they were raised (capability `list_disputes`). An entry that cannot be read is left
 * out of `disputes`, and counted in `unreadable`.
 */
export const listDisputes = (
	gateway: CardGateway,
	page: CardPage,
): Promise<Answer<{ disputes: AnsweredDispute[]; unreadable: number }>> =>
	gateway.send({ operation: "list-disputes", path: "/dispute", query: pageQuery(page) }, (body) => {
		const list = listOf(body);
		const disputes = list?.map(readAnswered).filter((one) => one !== undefined) ?? [];
		return list && { disputes, unreadable: list.length - disputes.length };
	});

/**
 * Asks for a dispute by the gateway's id (capability `list_disputes`). Refused with `not_found` if the
 * gateway has none.
 */
export const fetchDispute = (gateway: CardGateway, gatewayId: string): Promise<Answer<AnsweredDispute>> =>
	gateway.send({ operation: "fetch-dispute", path: `/dispute/${encodeURIComponent(gatewayId)}` }, (body) =>
		readAnswered(dataOf(body)),
	);
