import {
	chassisFailures,
	pageBy,
	platformOwner,
	type Route,
	readKey,
	route,
	tenantWide,
	totalOf,
	uuidForm,
} from "@lango/chassis";
import { FailureBody, Page, PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { findAdjustment, isAccount, listAdjustments } from "../adjustments/adjustment.store.ts";
import {
	type Adjustment,
	type AdjustmentLine,
	adjustmentPurposes,
	adjustmentStates,
	askedPurposes,
	isBalanced,
	linesOf,
} from "../adjustments/adjustment.ts";
import { adjustmentFailures } from "../adjustments/failures.ts";
import { AmountMinor, BalanceMinor, Currency, toMinor } from "../money/amount.ts";
import { operatorOf } from "../operator.ts";
import type { Treasury } from "../treasury.ts";
import { approveAdjustment, rejectAdjustment, requestAdjustment } from "./adjust.ts";

const tags = ["reconciliation"];
const base = "/api/v1/platform/adjustments";
const operator = { access: platformOwner(), outlets: tenantWide("adjustments are the platform's") };
const deciding = {
	...operator,
	...{ method: "POST" as const },
	subscription: { exempt: "the platform owner corrects its books regardless of the tenant's subscription" },
};
const refusals = { "4xx": FailureBody, "5xx": FailureBody } as const;
const DateTime = Type.String({ format: "date-time" });
const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const State = Type.Enum(adjustmentStates, { type: "string" });
const Purpose = Type.Enum(adjustmentPurposes, {
	type: "string",
	description: "suspense: a charge that an exception is about is counted, with a receipt",
});
const AskedPurpose = Type.Enum(askedPurposes, {
	type: "string",
	description:
		"top_up: bank account to transfer balance. withdrawal: back. variance: what the gateway paid too little, negative: too much. write_off: a tenant's debt. correction: its lines say it",
});
const Because = Type.String({ minLength: 1, maxLength: 300 });

const Line = Type.Object({
	side: Type.Enum(["debit", "credit"], { type: "string" }),
	owner: Type.Enum(["tenant", "platform"], { type: "string" }),
	code: Type.String({ maxLength: 60, description: "The code of the account" }),
	amount_minor: AmountMinor,
});

const Body = Shape({
	purpose: AskedPurpose,
	currency: Currency,
	tenant_id: Type.Optional(Uuid),
	amount_minor: Type.Optional(BalanceMinor),
	lines: Type.Optional(Type.Array(Line, { minItems: 2, maxItems: 20 })),
	because: Because,
});

const AdjustmentWire = Type.Object({
	id: Uuid,
	purpose: Purpose,
	tenant_id: Nullable(Uuid),
	currency: Currency,
	lines: Type.Array(Line),
	because: Because,
	state: State,
	exception_id: Nullable(Uuid),
	created_by: Type.String(),
	created_at: DateTime,
	approved_by: Nullable(Type.String()),
	approved_at: Nullable(DateTime),
});

/** The operator's routes for journals that two operators decide. */
export const adjustmentRoutes = (treasury: Treasury): readonly Route[] => [
	listing(treasury),
	requesting(treasury),
	approving(treasury),
	rejecting(treasury),
];

const listing = ({ db }: Treasury): Route =>
	route({
		...operator,
		method: "GET",
		url: base,
		schema: {
			summary: "Lists adjustments, the newest first",
			tags,
			querystring: Type.Object({
				state: Type.Optional(State),
				exception_id: Type.Optional(Uuid),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(AdjustmentWire), ...refusals },
		},
		handler: async ({ query: { state, exception_id: exceptionId, cursor, limit = 50, total } }) => {
			const before = readKey(cursor, uuidForm);
			const query = { state, exceptionId };
			const found = await listAdjustments(db, { ...query, before, limit: limit + 1 });
			return {
				...pageBy(found, { limit, toWire, keyOf: ({ id }) => id }),
				...(await totalOf(db, total, (all, page) =>
					listAdjustments(all, { ...query, before: undefined, limit: page.limit }),
				)),
			};
		},
	});

const requesting = (treasury: Treasury): Route =>
	route({
		...deciding,
		url: base,
		schema: {
			summary: "Asks for an adjustment of the books, which another operator has to approve",
			tags,
			body: Body,
			response: { 201: AdjustmentWire, ...refusals },
		},
		handler: async (request, reply) => {
			const { db, now, tenancy } = treasury;
			const { purpose, currency, tenant_id: tenantId, because } = request.body;
			if (tenantId !== undefined && (await tenancy.findById(tenantId)) === undefined)
				throw chassisFailures.tenant_not_found();
			const lines = await readLines(treasury, request.body);
			const id = await db.transaction((tx) =>
				requestAdjustment(
					tx,
					{ tenantId, purpose, currency, lines, because, exceptionId: undefined },
					{ by: operatorOf(request), now: now() },
				),
			);
			return reply.code(201).send(await get(treasury, id));
		},
	});

const approving = (treasury: Treasury): Route =>
	route({
		...deciding,
		url: `${base}/:id/approve`,
		schema: {
			summary: "Posts an adjustment that another operator asked for",
			tags,
			params: Type.Object({ id: Uuid }),
			response: { 200: AdjustmentWire, ...refusals },
		},
		handler: async (request) => {
			await approveAdjustment(treasury, request.params.id, operatorOf(request));
			return get(treasury, request.params.id);
		},
	});

const rejecting = (treasury: Treasury): Route =>
	route({
		...deciding,
		url: `${base}/:id/reject`,
		schema: {
			summary: "Rejects or withdraws an adjustment that waits",
			tags,
			params: Type.Object({ id: Uuid }),
			response: { 200: AdjustmentWire, ...refusals },
		},
		handler: async (request) => {
			await rejectAdjustment(treasury, request.params.id, operatorOf(request));
			return get(treasury, request.params.id);
		},
	});

async function get({ db }: Treasury, id: string) {
	const found = await findAdjustment(db, id);
	if (found === undefined) throw adjustmentFailures.adjustment_not_found();
	return toWire(found);
}

const invalid = (field: string, message: string) =>
	chassisFailures.invalid_input({ message, fields: { field, in: "body" } });

async function readLines({ db }: Treasury, body: Static<typeof Body>): Promise<readonly AdjustmentLine[]> {
	const lines = askedLines(body);
	if (!isBalanced(lines)) throw invalid("lines", "Debit and credit must be equal.");
	if (body.tenant_id === undefined && lines.some(({ owner }) => owner === "tenant"))
		throw invalid("tenant_id", "An account of a tenant needs the tenant.");
	for (const line of lines)
		if (!(await isAccount(db, line))) throw invalid("lines", `There is no account ${line.code}.`);
	return lines;
}

function askedLines({ purpose, currency, amount_minor, lines }: Static<typeof Body>): AdjustmentLine[] {
	if (purpose === "correction") {
		if (lines === undefined) throw invalid("lines", "A correction needs its lines.");
		return lines.map(({ amount_minor: amount, ...line }) => ({ ...line, amountMinor: BigInt(amount) }));
	}
	if (amount_minor === undefined || amount_minor === 0 || (amount_minor < 0 && purpose !== "variance"))
		throw invalid("amount_minor", "This needs an amount of more than 0.");
	return linesOf(purpose, { amountMinor: BigInt(amount_minor), currency });
}

const toWire = (one: Adjustment) => ({
	...{ id: one.id, purpose: one.purpose, tenant_id: one.tenantId ?? null, currency: one.currency },
	lines: one.lines.map(({ amountMinor, ...line }) => ({ ...line, amount_minor: toMinor(amountMinor) })),
	...{ because: one.because, state: one.state, exception_id: one.exceptionId ?? null },
	...{ created_by: one.createdBy, created_at: one.createdAt.toISOString() },
	...{ approved_by: one.approvedBy ?? null, approved_at: one.approvedAt?.toISOString() ?? null },
});
