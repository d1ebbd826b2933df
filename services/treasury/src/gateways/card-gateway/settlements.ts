import { type Answer, type Raw, textOf } from "../calls/answer.ts";
import { amountOf, type CardGateway, listOf } from "./account.ts";
import { type CardPage, pageQuery, readTransactions, type Transaction } from "./transactions.ts";

/** A settlement to the platform as the gateway states it. */
export type CardSettlement = {
	id: string;
	status: string | undefined;
	currency: string | undefined;
	/** What was collected. */
	processedMinor: bigint | undefined;
	feesMinor: bigint | undefined;
	/** What arrives. */
	effectiveMinor: bigint;
	deductionsMinor: bigint | undefined;
	settledOn: string | undefined;
};

function readSettlement(data: Raw): CardSettlement | undefined {
	const id = textOf(data, "id");
	const effectiveMinor = amountOf(data, "effective_amount") ?? amountOf(data, "total_amount");
	if (id === undefined || effectiveMinor === undefined) return undefined;
	return {
		...{ id, effectiveMinor, status: textOf(data, "status"), currency: textOf(data, "currency") },
		...{ processedMinor: amountOf(data, "total_processed"), feesMinor: amountOf(data, "total_fees") },
		...{ deductionsMinor: amountOf(data, "deductions"), settledOn: textOf(data, "settlement_date") },
	};
}

/**
 * Lists settlements to the platform. An entry that cannot be read is left out of `settlements`, and counted
 * in `unreadable`.
 */
export const listSettlements = (
	gateway: CardGateway,
	page: CardPage,
): Promise<Answer<{ settlements: CardSettlement[]; unreadable: number }>> =>
	gateway.send({ operation: "list-settlements", path: "/settlement", query: pageQuery(page) }, (body) => {
		const list = listOf(body);
		if (list === undefined) return undefined;
		const settlements = list.map(readSettlement).filter((one) => one !== undefined);
		return { settlements, unreadable: list.length - settlements.length };
	});

/** Lists the transactions of a settlement (capability `settlement_lines`). */
export const listSettlementLines = (
	gateway: CardGateway,
	{ settlementId, ...page }: CardPage & { settlementId: string },
): Promise<Answer<{ transactions: Transaction[]; unreadable: number }>> =>
	gateway.send(
		{
			operation: "list-settlement-lines",
			path: `/settlement/${encodeURIComponent(settlementId)}/transactions`,
			query: pageQuery(page),
		},
		readTransactions,
	);

/** The transfer balance in each currency. */
export const getBalance = (gateway: CardGateway): Promise<Answer<{ balances: Record<string, bigint> }>> =>
	gateway.send({ operation: "balance", path: "/balance" }, (body) => {
		const entries = listOf(body)?.map((one) => [textOf(one, "currency"), amountOf(one, "balance")] as const);
		if (entries === undefined) return undefined;
		return { balances: Object.fromEntries(entries.filter(isComplete)) };
	});

const isComplete = (entry: readonly [string | undefined, bigint | undefined]): entry is [string, bigint] =>
	entry[0] !== undefined && entry[1] !== undefined;
