import { Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { BalanceMinor, Currency } from "../money/amount.ts";
import { type GatewayQuery, queryStatuses, statusAt } from "./query.ts";

const DateTime = Type.String({ format: "date-time" });
const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const BalanceAnswerWire = Type.Object(
	{
		accounts: Type.Array(
			Type.Object({
				name: Type.String(),
				currency: Currency,
				current_minor: BalanceMinor,
				available_minor: BalanceMinor,
			}),
		),
		finished_at: nullable(DateTime),
	},
	{ description: "The answer about balances" },
);

const StatusAnswerWire = Type.Object(
	{
		status: { ...nullable(Type.String()), description: "The gateway's word, for example Completed" },
		receipt: nullable(Type.String()),
		amount_minor: nullable(BalanceMinor),
		shortcode: { ...nullable(Type.String()), description: "The shortcode that received the money" },
		finished_at: nullable(DateTime),
	},
	{ description: "The answer about a transaction" },
);

/** A question to the gateway, with its answer. */
export const QueryWire = Type.Object({
	id: Uuid,
	kind: Type.Enum(["balance", "status"], { type: "string" }),
	status: Type.Enum(queryStatuses, {
		type: "string",
		description: "failed: the gateway did not answer. unknown: no answer came within ten minutes",
	}),
	shortcode: Type.String(),
	receipt: nullable(Type.String()),
	originator_id: nullable(Type.String()),
	result: Type.Union([BalanceAnswerWire, StatusAnswerWire, Type.Null()]),
	failure_code: { ...nullable(Type.String()), description: "The gateway's code of a question that failed" },
	created_at: DateTime,
	ended_at: nullable(DateTime),
});

/** A question as the API shows it. */
export function toQueryWire(query: GatewayQuery, now: Date): Static<typeof QueryWire> {
	const { id, shortcode, about, result, failureCode, createdAt, endedAt } = query;
	return {
		...{ id, shortcode, kind: about.kind, status: statusAt(query, now) },
		receipt: "receipt" in about ? about.receipt : null,
		originator_id: "originatorId" in about ? about.originatorId : null,
		...{ result: (result ?? null) as Static<typeof QueryWire>["result"], failure_code: failureCode ?? null },
		created_at: createdAt.toISOString(),
		ended_at: endedAt?.toISOString() ?? null,
	};
}
