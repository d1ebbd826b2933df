import type { StatedDispute } from "../../outcomes/evidence/refund-evidence.ts";
import { type Answer, type Raw, textOf } from "../calls/answer.ts";
import { type CardGateway, dataOf, listOf } from "./account.ts";
import { readDispute, readEnd } from "./read-dispute.ts";
import { type CardPage, pageQuery } from "./transactions.ts";

/** Reads the dispute of an answer. One whose end has a word that is not known counts as open. */
const readAnswered = (data: Raw | undefined): StatedDispute | undefined =>
	readDispute(data, (textOf(data, "status") === "resolved" ? readEnd(data) : undefined) ?? "open");

/**
 * Lists disputes by when they were raised (capability `list_disputes`). An entry that cannot be read is left
 * out of `disputes`, and counted in `unreadable`.
 */
export const listDisputes = (
	gateway: CardGateway,
	page: CardPage,
): Promise<Answer<{ disputes: StatedDispute[]; unreadable: number }>> =>
	gateway.send({ operation: "list-disputes", path: "/dispute", query: pageQuery(page) }, (body) => {
		const list = listOf(body);
		const disputes = list?.map(readAnswered).filter((one) => one !== undefined) ?? [];
		return list && { disputes, unreadable: list.length - disputes.length };
	});

/**
 * Asks for a dispute by the gateway's id (capability `list_disputes`). Refused with `not_found` if the
 * gateway has none.
 */
export const fetchDispute = (gateway: CardGateway, gatewayId: string): Promise<Answer<StatedDispute>> =>
	gateway.send({ operation: "fetch-dispute", path: `/dispute/${encodeURIComponent(gatewayId)}` }, (body) =>
		readAnswered(dataOf(body)),
	);
