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
import { FailureBody, Page, PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import Type from "typebox";
import { findException, listExceptions } from "../exceptions/exception.store.ts";
import {
	type Exception,
	exceptionClasses,
	type Proposal,
	type Resolution,
	resolutions,
} from "../exceptions/exception.ts";
import { AmountMinor, BalanceMinor, Currency, toMinor } from "../money/amount.ts";
import { operatorOf } from "../operator.ts";
import type { Treasury } from "../treasury.ts";
import { reconciliationFailures } from "./failures.ts";
import { resolveException } from "./resolve-exception.ts";

const Class = Type.Enum(exceptionClasses, { type: "string", description: "What differs" });
const State = Type.Enum(["open", "closed"], { type: "string" });
const Side = Type.Record(Type.String(), Type.Unknown());

const As = Type.Enum(resolutions, { type: "string" });
const DateTime = Type.String({ format: "date-time" });
const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Because = Type.String({ minLength: 1, maxLength: 300 });
const ReceiptIds = Type.Array(Uuid, { maxItems: 50 });

const ProposedWire = Type.Object(
	{
		tenant_id: Nullable(Uuid),
		purpose: Type.String(),
		currency: Currency,
		lines: Type.Array(
			Type.Object({
				side: Type.Enum(["debit", "credit"], { type: "string" }),
				owner: Type.Enum(["tenant", "platform"], { type: "string" }),
				code: Type.String(),
				amount_minor: AmountMinor,
			}),
		),
	},
	{ description: "The journal that would explain it; null: no journal would, or it was posted already" },
);

const ExceptionWire = Type.Object({
	id: Uuid,
	class: Class,
	subject: Type.String({ description: "What it is about, for example a reference" }),
	amount_minor: BalanceMinor,
	currency: Currency,
	ours: { ...Side, description: "What the treasury has recorded" },
	theirs: { ...Side, description: "What the gateway says" },
	proposed: Nullable(ProposedWire),
	state: State,
	raised_at: DateTime,
	resolution: Nullable(
		Type.Object({
			as: As,
			because: Because,
			receipt_ids: ReceiptIds,
			resolved_by: Type.String(),
			resolved_at: DateTime,
		}),
	),
});

const tags = ["reconciliation"];
const operator = { access: platformOwner(), outlets: tenantWide("exceptions are the platform's") };
const base = "/api/v1/platform/reconciliation/exceptions";

/** The operator's routes for what two sources disagree about. */
export const exceptionRoutes = (treasury: Treasury): readonly Route[] => [
	listing(treasury),
	resolving(treasury),
];

const listing = ({ db }: Treasury): Route =>
	route({
		...operator,
		method: "GET",
		url: base,
		schema: {
			summary: "Lists what gateways and the treasury disagree about, the newest first",
			tags,
			querystring: Type.Object({
				class: Type.Optional(Class),
				state: Type.Optional(State),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(ExceptionWire), 401: FailureBody, 403: FailureBody },
		},
		handler: async ({ query: { cursor, limit = 50, total, ...of } }) => {
			const query = { class: of.class, state: of.state };
			const before = readKey(cursor, uuidForm);
			const found = await listExceptions(db, { ...query, before, limit: limit + 1 });
			return {
				...pageBy(found, { limit, toWire, keyOf: ({ id }) => id }),
				...(await totalOf(db, total, (all, page) =>
					listExceptions(all, { ...query, before: undefined, limit: page.limit }),
				)),
			};
		},
	});

const resolving = (treasury: Treasury): Route =>
	route({
		...operator,
		subscription: { exempt: "the platform owner reconciles regardless of the tenant's subscription" },
		method: "POST",
		url: `${base}/:id/resolve`,
		schema: {
			summary: "Resolves an exception",
			description:
				"With posted, the proposed journal becomes an adjustment; the exception stays open until another operator has approved it. With matched, receipts explain it that come to its amount: those of a settlement are settled. Charges that are proposed for a settlement are confirmed by matched without receipts. With waived nothing is settled; a charge that is late is not waived, but settled by posted.",
			tags,
			params: Type.Object({ id: Uuid }),
			body: Shape({ as: As, because: Because, receipt_ids: Type.Optional(ReceiptIds) }),
			response: {
				200: Type.Object({ exception: ExceptionWire, adjustment_id: Nullable(Uuid) }),
				"4xx": FailureBody,
			},
		},
		handler: async (request) => {
			const { params, body } = request;
			const { adjustmentId } = await resolveException(treasury, params.id, {
				...{ as: body.as, because: body.because, receiptIds: body.receipt_ids ?? [] },
				by: operatorOf(request),
			});
			const exception = await findException(treasury.db, params.id);
			if (exception === undefined) throw reconciliationFailures.exception_not_found();
			return { exception: toWire(exception), adjustment_id: adjustmentId ?? null };
		},
	});

const toWire = ({ amountMinor, raisedAt, ours, theirs, ...exception }: Exception) => ({
	...{ id: exception.id, class: exception.class, subject: exception.subject },
	...{ currency: exception.currency, state: exception.state },
	...{ ours: { ...ours }, theirs: { ...theirs } },
	amount_minor: toMinor(amountMinor),
	proposed: exception.proposed === undefined ? null : toProposedWire(exception.proposed, exception.currency),
	raised_at: raisedAt.toISOString(),
	resolution: exception.resolution === undefined ? null : toResolution(exception.resolution),
});

const toProposedWire = ({ tenant_id, purpose, currency, lines }: Proposal, own: string) => ({
	...{ tenant_id, purpose, currency: currency ?? own, lines: [...lines] },
});

const toResolution = ({ as, because, receiptIds, by, at }: Resolution) => ({
	...{ as, because, receipt_ids: [...receiptIds], resolved_by: by, resolved_at: at.toISOString() },
});
