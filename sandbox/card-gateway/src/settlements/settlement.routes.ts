import Type from "typebox";
import { apiRoute } from "../answers/api-route.ts";
import { pageMembers, pageOf, rangeOf } from "../answers/paging.ts";
import { notFound } from "../answers/refusal.ts";
import { domain, integration } from "../gateway.ts";
import { balancesOf } from "../ledger/move.ts";
import type { Settlement } from "../records/tables.ts";
import { toListed } from "../transactions/to-transaction.ts";
import { effectiveAmount } from "./settle.ts";

const listQuery = Type.Object(pageMembers);

/** Settlements and the transfer balance, §4.4. */
export const settlementRoutes = [
	apiRoute({
		operation: "list_settlements",
		method: "GET",
		url: "/settlement",
		summary: "Settlements to the bank account, the newest first",
		query: listQuery,
		answer: ({ store }, { query }) => {
			const isInRange = rangeOf(query);
			const found = store.list("settlements").filter(({ date }) => isInRange(date));
			const { data, meta } = pageOf(found.reverse(), query);
			return { message: "Settlements retrieved", data: data.map(toSettlement), meta };
		},
	}),
	apiRoute({
		operation: "list_settlement_transactions",
		method: "GET",
		url: "/settlement/:id/transactions",
		summary: "The charges that a settlement contains, with the fees that it took",
		query: listQuery,
		answer: (gateway, { params, query }) => {
			const { store } = gateway;
			const settlement = store.find("settlements", "id", params["id"] ?? "");
			if (settlement === undefined) throw notFound("Settlement");
			const isInRange = rangeOf(query);
			const found = store
				.listOf("transactions", "settlement", settlement.id)
				.filter(({ createdAt }) => isInRange(createdAt));
			const { data, meta } = pageOf(found, query);
			return {
				message: "Transactions retrieved",
				data: data.map((transaction) => {
					const { connect: _, ...line } = toListed(gateway, transaction);
					const correction = settlement.corrections[transaction.id] ?? 0;
					return { ...line, message: "", log: null, fees: (transaction.fees ?? 0) + correction };
				}),
				meta: { ...meta, total_volume: settlement.processed },
			};
		},
	}),
	apiRoute({
		operation: "balance",
		method: "GET",
		url: "/balance",
		summary: "What is there for transfers",
		answer: (gateway) => {
			const balances = Object.entries({ KES: { balance: 0 }, ...balancesOf(gateway) });
			return {
				message: "Balances retrieved",
				data: balances.map(([currency, { balance }]) => ({ currency, balance })),
			};
		},
	}),
];

const toSettlement = (settlement: Settlement) => ({
	id: settlement.id,
	domain,
	status: settlement.status,
	currency: settlement.currency,
	integration,
	total_amount: settlement.processed - settlement.fees,
	effective_amount: effectiveAmount(settlement),
	total_fees: settlement.fees,
	total_processed: settlement.processed,
	deductions: settlement.deductions === 0 ? null : settlement.deductions,
	settlement_date: settlement.date,
	settled_by: null,
	createdAt: settlement.createdAt,
	updatedAt: settlement.updatedAt,
});
