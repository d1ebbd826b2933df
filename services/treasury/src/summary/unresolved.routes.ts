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
import Type, { type Static } from "typebox";
import { unresolvedKinds } from "../measurements/unresolved.store.ts";
import { AmountMinor, Currency, toMinor } from "../money/amount.ts";
import type { Treasury } from "../treasury.ts";
import { ages } from "./age.ts";
import { listUnresolved, type Unresolved } from "./unresolved.store.ts";

const Nullable = <T extends Type.TSchema>(schema: T, description: string) => ({
	...Type.Union([schema, Type.Null()]),
	description,
});

const UnresolvedWire = Type.Object({
	id: Uuid,
	tenant_id: Uuid,
	intent_id: Nullable(Uuid, "The intent of an attempt"),
	operation_id: Nullable(Type.String(), "The operation of an attempt by which the tenant pays the platform"),
	receipt_id: Nullable(Uuid, "The receipt that a refund is of"),
	status: Type.String(),
	needs_review: Type.Boolean({ description: "The platform owner has to decide" }),
	proposed_by: Nullable(
		Type.String(),
		"The operator who says that a refund failed: another one has to agree",
	),
	amount_minor: AmountMinor,
	currency: Currency,
	since: Type.String({ format: "date-time", description: "When it was sent, or else created" }),
});

/** The operator's list behind the counts of what is not known. */
export const unresolvedRoutes = ({ db, now }: Treasury): readonly Route[] => [
	route({
		...{ method: "GET", url: "/api/v1/platform/unresolved" },
		...{ access: platformOwner(), outlets: tenantWide("the platform owner finds out about all tenants") },
		schema: {
			summary:
				"Lists attempts, payouts or refunds of all tenants whose outcome is not known, the oldest first",
			description: "The summary counts the same by kind and age. Webhooks that are parked are in the inbox.",
			tags: ["reconciliation"],
			querystring: Type.Object({
				kind: Type.Enum(unresolvedKinds, { type: "string" }),
				age: Type.Optional(Type.Enum(ages, { type: "string" })),
				needs_review: Type.Optional(Type.Boolean()),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(UnresolvedWire), 401: FailureBody, 403: FailureBody },
		},
		handler: async ({ query: { kind, age, needs_review: needsReview, cursor, limit = 50, total } }) => {
			const query = { kind, age, needsReview, now: now() };
			const after = readKey(cursor, uuidForm);
			return acrossTenants(db, async (tx) => {
				const found = await listUnresolved(tx, { ...query, after, limit: limit + 1 });
				return {
					...pageBy(found, { limit, toWire, keyOf: ({ id }) => id }),
					...(await totalOf(tx, total, (all, page) => listUnresolved(all, { ...query, ...page }))),
				};
			});
		},
	}),
];

const toWire = (one: Unresolved): Static<typeof UnresolvedWire> => ({
	...{ id: one.id, tenant_id: one.tenantId, intent_id: one.intentId, operation_id: one.operationId },
	...{ receipt_id: one.receiptId, status: one.status, needs_review: one.needsReview },
	...{ proposed_by: one.proposedBy, amount_minor: toMinor(one.amountMinor), currency: one.currency },
	since: one.since.toISOString(),
});
