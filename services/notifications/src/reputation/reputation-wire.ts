import { Shape, Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import type { ListedReputation, Reputation } from "./reputation.store.ts";

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Rate = (description: string) =>
	OrNull(Type.Number({ minimum: 0, description: `${description} Null: nothing was sent.` }));

export const StateWire = Type.Enum(["ok", "warned", "paused"], { type: "string" });

export const ReputationWire = Type.Object({
	state: StateWire,
	cause: OrNull(
		Type.Enum(["bounces", "complaints", "owner"], {
			type: "string",
			description: "What the warning or the pause is due to; owner: the platform owner paused the e-mail",
		}),
	),
	reason: OrNull(Type.String({ description: "Of the platform owner" })),
	since: OrNull(Type.String({ format: "date-time", description: "Null: the state is ok" })),
	sent: Type.Integer({
		description: "E-mails of 24 hours that a provider accepted, or refused because of the address",
	}),
	bounced: Type.Integer(),
	complained: Type.Integer(),
	bounce_rate: Rate("Share of sent."),
	complaint_rate: Rate("Share of sent."),
});

export const ListedReputationWire = Type.Object({
	tenant_id: Uuid,
	slug: Type.String(),
	name: Type.String(),
	...ReputationWire.properties,
});

export const DecisionBody = Shape({
	reason: Type.String({
		minLength: 1,
		maxLength: 300,
		pattern: "\\S",
		description: "Is in the audit log; the administrators of the tenant see it",
	}),
});

export function toReputationWire({ counts, period }: Reputation): Static<typeof ReputationWire> {
	const { sent, bounced, complained } = counts;
	const rateOf = (count: number) => (sent === 0 ? null : Math.round((count / sent) * 100_000) / 100_000);
	return {
		state: period?.state ?? "ok",
		cause: period?.cause ?? null,
		reason: period?.reason ?? null,
		since: period?.beganAt.toISOString() ?? null,
		...{ sent, bounced, complained, bounce_rate: rateOf(bounced), complaint_rate: rateOf(complained) },
	};
}

export const toListedWire = ({
	tenantId,
	slug,
	name,
	...reputation
}: ListedReputation): Static<typeof ListedReputationWire> => ({
	...{ tenant_id: tenantId, slug, name, ...toReputationWire(reputation) },
});
