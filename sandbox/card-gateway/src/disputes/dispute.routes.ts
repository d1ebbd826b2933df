import Type from "typebox";
import { apiRoute, textShape } from "../answers/api-route.ts";
import { pageMembers, pageOf, rangeOf } from "../answers/paging.ts";
import { notFound } from "../answers/refusal.ts";
import { toShown } from "./dispute.ts";

const listQuery = Type.Object({
	...pageMembers,
	/** The id. */
	transaction: Type.Optional(textShape),
	status: Type.Optional(Type.Enum(["awaiting-merchant-feedback", "resolved"], { type: "string" })),
});

/** What payers dispute at their banks. */
export const disputeRoutes = [
	apiRoute({
		operation: "list_disputes",
		method: "GET",
		url: "/dispute",
		summary: "Disputes by when they were raised, the newest first",
		query: listQuery,
		answer: (gateway, { query: { transaction, status, ...page } }) => {
			const isInRange = rangeOf(page);
			const { store } = gateway;
			const all =
				transaction === undefined
					? store.list("disputes")
					: store.listOf("disputes", "transaction", transaction);
			const found = all.filter(
				(dispute) => isInRange(dispute.createdAt) && (status === undefined || dispute.status === status),
			);
			const { data, meta } = pageOf(found.reverse(), page);
			return { message: "Disputes retrieved", data: data.map((dispute) => toShown(gateway, dispute)), meta };
		},
	}),
	apiRoute({
		operation: "fetch_dispute",
		method: "GET",
		url: "/dispute/:id",
		summary: "What became of a dispute",
		answer: (gateway, { params }) => {
			const found = gateway.store.find("disputes", "id", params["id"] ?? "");
			if (found === undefined) throw notFound("Dispute");
			return { message: "Dispute retrieved", data: toShown(gateway, found) };
		},
	}),
];
