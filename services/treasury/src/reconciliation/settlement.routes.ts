import {
	pageBy,
	platformOwner,
	type Route,
	readKey,
	route,
	tenantWide,
	totalOf,
	uuidForm,
} from "@lango/chassis";
import { FailureBody, Page, PageQuery, TotalQuery, Uuid } from "@lango/contracts";
import { acrossTenants } from "@lango/postgres";
import Type from "typebox";
import { BalanceMinor, Currency, toMinor } from "../money/amount.ts";
import { findSettlement, type ListedSettlement, listSettlements } from "../settlements/settlement.store.ts";
import { settlementStates } from "../settlements/settlement.ts";
import { type ComparedLine, listComparedLines } from "../settlements/settlement-line.store.ts";
import type { Treasury } from "../treasury.ts";
import { reconciliationFailures } from "./failures.ts";

const tags = ["reconciliation"];
const operator = { access: platformOwner(), outlets: tenantWide("settlements are the platform's") };
const refusals = { "4xx": FailureBody, "5xx": FailureBody } as const;
const base = "/api/v1/platform/settlements";
const DateTime = Type.String({ format: "date-time" });
const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const State = Type.Enum(settlementStates, { type: "string" });
const limitOf100 = Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 }));

const SettlementWire = Type.Object({
	id: Uuid,
	gateway_id: Type.String(),
	gateway_status: Type.String({ description: "The gateway's word" }),
	state: State,
	currency: Currency,
	effective_minor: { ...BalanceMinor, description: "What arrives" },
	expected_minor: { ...BalanceMinor, description: "What its charges come to, less fees and deductions" },
	processed_minor: Nullable(BalanceMinor),
	fees_minor: Nullable(BalanceMinor),
	deductions_minor: { ...Nullable(BalanceMinor), description: "Null: the gateway does not say" },
	settles_to: Type.Enum(["bank", "balance"], { type: "string" }),
	settled_at: DateTime,
	lines: Type.Integer(),
	matched: Type.Integer({ description: "How many of its lines are matched with a receipt" }),
});

const LineWire = Type.Object({
	id: Uuid,
	transaction: Type.String(),
	reference: Type.String(),
	amount_minor: BalanceMinor,
	fee_minor: Nullable(BalanceMinor),
	currency: Type.String(),
	channel: Nullable(Type.String()),
	paid_at: Nullable(DateTime),
	state: Type.String(),
	receipt: Nullable(
		Type.Object({ tenant_id: Uuid, id: Uuid, amount_minor: BalanceMinor, fee_minor: BalanceMinor }),
	),
});

/** The operator's view of what the card gateway pays out. */
export const settlementRoutes = ({ db }: Treasury): readonly Route[] => [
	route({
		...operator,
		method: "GET",
		url: base,
		schema: {
			summary: "Lists settlements of the card gateway, those that were found last first",
			tags,
			querystring: Type.Object({
				state: Type.Optional(State),
				cursor: PageQuery.cursor,
				limit: limitOf100,
				...TotalQuery,
			}),
			response: { 200: Page(SettlementWire), ...refusals },
		},
		handler: async ({ query: { state, cursor, limit = 50, total } }) => {
			const before = readKey(cursor, uuidForm);
			const found = await listSettlements(db, { state, before, limit: limit + 1 });
			return {
				...pageBy(found, { limit, toWire, keyOf: ({ id }) => id }),
				...(await totalOf(db, total, (all, page) => listSettlements(all, { state, limit: page.limit }))),
			};
		},
	}),
	route({
		...operator,
		method: "GET",
		url: `${base}/:id`,
		schema: {
			summary: "Returns a settlement",
			tags,
			params: Type.Object({ id: Uuid }),
			response: { 200: SettlementWire, ...refusals },
		},
		handler: async ({ params: { id } }) => {
			const [found] = await listSettlements(db, { id, limit: 1 });
			if (found === undefined) throw reconciliationFailures.settlement_not_found();
			return toWire(found);
		},
	}),
	route({
		...operator,
		method: "GET",
		url: `${base}/:id/lines`,
		schema: {
			summary: "Lists the charges of a settlement, each beside its receipt",
			tags,
			params: Type.Object({ id: Uuid }),
			querystring: Type.Object({ cursor: PageQuery.cursor, limit: limitOf100, ...TotalQuery }),
			response: { 200: Page(LineWire), ...refusals },
		},
		handler: async ({ params: { id: settlementId }, query: { cursor, limit = 50, total } }) => {
			if ((await findSettlement(db, settlementId)) === undefined)
				throw reconciliationFailures.settlement_not_found();
			const after = readKey(cursor, uuidForm);
			return acrossTenants(db, async (tx) => {
				const found = await listComparedLines(tx, { settlementId, after, limit: limit + 1 });
				return {
					...pageBy(found, { limit, toWire: toLineWire, keyOf: ({ id }) => id }),
					...(await totalOf(tx, total, (all, page) => listComparedLines(all, { settlementId, ...page }))),
				};
			});
		},
	}),
];

const toNullable = (minor: bigint | undefined) => (minor === undefined ? null : toMinor(minor));

const toWire = (one: ListedSettlement) => ({
	...{ id: one.id, gateway_id: one.gatewayId, gateway_status: one.gatewayStatus, state: one.state },
	...{ currency: one.currency, effective_minor: toMinor(one.effectiveMinor) },
	expected_minor: toMinor(one.linesMinor - (one.deductionsMinor ?? 0n)),
	...{ processed_minor: toNullable(one.processedMinor), fees_minor: toNullable(one.feesMinor) },
	...{ deductions_minor: toNullable(one.deductionsMinor), settles_to: one.settlesTo },
	...{ settled_at: one.settledAt.toISOString(), lines: one.lines, matched: one.matched },
});

const toLineWire = ({ receipt, ...line }: ComparedLine) => ({
	...{ id: line.id, transaction: line.transactionId, reference: line.reference },
	...{ amount_minor: toMinor(line.amountMinor), fee_minor: toNullable(line.feeMinor) },
	...{ currency: line.currency, channel: line.channel ?? null, state: line.state },
	paid_at: line.paidAt?.toISOString() ?? null,
	receipt: receipt
		? {
				...{ tenant_id: receipt.tenantId, id: receipt.id },
				...{ amount_minor: toMinor(receipt.amountMinor), fee_minor: toMinor(receipt.feeMinor) },
			}
		: null,
});
