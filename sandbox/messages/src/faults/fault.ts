import Type, { type Static } from "typebox";
import { kinds, reportStatuses } from "../record/arrival.ts";

const milliseconds = Type.Integer({ minimum: 0, maximum: 600_000 });
const one = <T extends Record<string, Type.TSchema>>(members: T) =>
	Type.Object(members, { additionalProperties: false });

/** Which requests of a kind a rule applies to; exactly one member. */
const match = Type.Union([
	/** The n-th request of the kind since the rules were set, from 1. */
	one({ nth: Type.Integer({ minimum: 1 }) }),
	/** Every n-th request of the kind; 1: all of them. */
	one({ every: Type.Integer({ minimum: 1 }) }),
	/** This share of the requests, chosen by the seed and the ordinal. */
	one({ chance: Type.Number({ minimum: 0, maximum: 1 }) }),
	/** Requests to this address, in any case of letters. */
	one({ address: Type.String({ minLength: 1, maxLength: 512 }) }),
	/** Requests whose subject or text contains this. */
	one({ text: Type.String({ minLength: 1, maxLength: 512 }) }),
]);

const smtpCommands = ["CONNECT", "AUTH", "MAIL", "RCPT", "DATA"] as const;
export type SmtpCommand = (typeof smtpCommands)[number];

const reportPlan = one({
	/** The last status that is reported; `none`: no report. */
	status: Type.Optional(Type.Enum(["none", ...reportStatuses])),
	/** Before the first report. */
	after_ms: Type.Optional(milliseconds),
	/** How often each report is sent. */
	times: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
	order: Type.Optional(Type.Enum(["as_usual", "reversed"])),
	wrong_signature: Type.Optional(Type.Boolean()),
});

/** What happens instead of, or after, a normal answer. */
const action = Type.Union([
	/** The provider's own error: HTTP status, its code, and `Retry-After` in seconds. */
	one({
		refuse: one({
			status: Type.Integer({ minimum: 200, maximum: 599 }),
			code: Type.Optional(Type.Union([Type.String({ maxLength: 100 }), Type.Integer()])),
			after: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
		}),
	}),
	/** The normal answer, later. */
	one({ delay: one({ ms: milliseconds }) }),
	/** No answer; the connection stays open. The message is not taken. */
	one({ hang: Type.Literal(true) }),
	/** The connection is reset before the body is read. */
	one({ reset: Type.Literal(true) }),
	/** The message is taken, then the connection is reset without an answer; its reports may differ, too. */
	one({ accept_then_reset: Type.Literal(true), report: Type.Optional(reportPlan) }),
	/** A refusal of this command of SMTP. */
	one({
		smtp: one({
			command: Type.Enum(smtpCommands),
			code: Type.Integer({ minimum: 400, maximum: 599 }),
		}),
	}),
	/** The provider is out of service: 503 without its own error format; 421 in SMTP. */
	one({ down: Type.Literal(true) }),
	/** The message is taken as usual; its reports differ. */
	one({ report: reportPlan }),
]);

/** A rule. Of several that match a request, the first counts. Without `kind` it applies to all kinds. */
const faultShape = one({ kind: Type.Optional(Type.Enum(kinds)), match, do: action });
export const faultsShape = Type.Array(faultShape, { maxItems: 1000 });

export type Fault = Static<typeof faultShape>;
export type FaultAction = Fault["do"];
export type ReportPlan = Static<typeof reportPlan>;

/** An error of a rule that its shape does not show, or undefined. */
export function findMistake({ kind, do: action }: Fault): string | undefined {
	if ("smtp" in action && kind !== "smtp") return "An action `smtp` needs `kind: smtp`.";
	if ("refuse" in action && kind === "smtp") return "Use an action `smtp` with `kind: smtp`.";
	return undefined;
}
