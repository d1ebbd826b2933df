import { type Domain, platformOwner, type Route, route, tenantWide } from "@lango/chassis";
import { FailureBody, Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { AmountMinor, toMinor } from "../money/amount.ts";
import { type BookedJournal, listJournals } from "./journal.store.ts";

const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });

const JournalWire = Type.Object({
	id: Type.String(),
	tenant_id: Nullable(Uuid),
	purpose: Type.String(),
	evidence_id: Uuid,
	effective_at: DateTime,
	posted_at: DateTime,
	lines: Type.Array(
		Type.Object({
			side: Type.Enum(["debit", "credit"], { type: "string" }),
			owner: Type.Enum(["tenant", "platform"], { type: "string" }),
			code: Type.String(),
			currency: Type.String(),
			amount_minor: AmountMinor,
		}),
	),
});

/** The operator's view of the journals of a payment, a settlement, or anything else that moves money. */
export const journalRoutes = ({ db }: Pick<Domain, "db">): readonly Route[] => [
	route({
		...{ method: "GET", url: "/api/v1/platform/journals" },
		...{ access: platformOwner(), outlets: tenantWide("the ledger has no outlets") },
		schema: {
			summary: "Lists the journals of one source with their lines, the first first",
			description:
				"Sources are for example receipts, payments, payouts, refunds, settlements and adjustments.",
			tags: ["ledger"],
			querystring: Type.Object({
				source_type: Type.String({ pattern: "^[a-z][a-z_]{1,39}$", maxLength: 40 }),
				source_id: Uuid,
			}),
			response: {
				200: Type.Object({ items: Type.Array(JournalWire) }),
				401: FailureBody,
				403: FailureBody,
			},
		},
		handler: async ({ query: { source_type: type, source_id: id } }) => ({
			items: (await listJournals(db, { type, id })).map(toWire),
		}),
	}),
];

const toWire = (journal: BookedJournal): Static<typeof JournalWire> => ({
	...{ id: journal.id, tenant_id: journal.tenantId, purpose: journal.purpose },
	...{ evidence_id: journal.evidenceId, effective_at: journal.effectiveAt.toISOString() },
	posted_at: journal.postedAt.toISOString(),
	lines: journal.lines.map(({ side, tenantId, code, currency, amountMinor }) => ({
		...{ side, owner: tenantId === null ? ("platform" as const) : ("tenant" as const), code, currency },
		amount_minor: toMinor(amountMinor),
	})),
});
