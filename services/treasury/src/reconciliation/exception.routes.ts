import { pageBy, platformOwner, type Route, readKey, route, tenantWide, uuidForm } from "@lango/chassis";
import { FailureBody, Page, PageQuery, Uuid } from "@lango/contracts";
import Type from "typebox";
import { listExceptions } from "../exceptions/exception.store.ts";
import { type Exception, exceptionClasses } from "../exceptions/exception.ts";
import { AmountMinor, Currency, toMinor } from "../money/amount.ts";
import type { Treasury } from "../treasury.ts";

const Class = Type.Enum(exceptionClasses, { type: "string", description: "What differs" });
const State = Type.Enum(["open", "closed"], { type: "string" });
const Side = Type.Record(Type.String(), Type.Unknown());

const ExceptionWire = Type.Object({
	id: Uuid,
	class: Class,
	subject: Type.String({ description: "What it is about, for example a reference" }),
	amount_minor: AmountMinor,
	currency: Currency,
	ours: { ...Side, description: "What the treasury has recorded" },
	theirs: { ...Side, description: "What the gateway says" },
	state: State,
	raised_at: Type.String({ format: "date-time" }),
});

/** The operator's view of what two sources disagree about. */
export const exceptionRoutes = ({ db }: Treasury): readonly Route[] => [
	route({
		access: platformOwner(),
		outlets: tenantWide("exceptions are the platform's"),
		method: "GET",
		url: "/api/v1/platform/reconciliation/exceptions",
		schema: {
			summary: "Lists what gateways and the treasury disagree about, the newest first",
			tags: ["reconciliation"],
			querystring: Type.Object({
				class: Type.Optional(Class),
				state: Type.Optional(State),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
			}),
			response: { 200: Page(ExceptionWire), 401: FailureBody, 403: FailureBody },
		},
		handler: async ({ query: { cursor, limit = 50, ...query } }) => {
			const before = readKey(cursor, uuidForm);
			const found = await listExceptions(db, {
				...{ class: query.class, state: query.state, before, limit: limit + 1 },
			});
			return pageBy(found, { limit, toWire, keyOf: ({ id }) => id });
		},
	}),
];

const toWire = ({ amountMinor, raisedAt, ours, theirs, ...exception }: Exception) => ({
	...exception,
	ours: { ...ours },
	theirs: { ...theirs },
	amount_minor: toMinor(amountMinor),
	raised_at: raisedAt.toISOString(),
});
