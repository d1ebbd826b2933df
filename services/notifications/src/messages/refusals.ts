import type { Failure } from "@lango/chassis";
import { failures } from "../failures.ts";

/**
 * The limits of a day of the tenant, by what `admit_message` calls them: their names in refusals and events.
 */
export const dayLimits = {
	/** The plan's limit of e-mails (identity §7). */
	daily: "max_emails_per_day",
	/** Addresses that the tenant writes to for the first time, while its plan is a trial (§12). */
	trial: "max_new_recipients_per_day",
} as const;

export type DayLimit = keyof typeof dayLimits;

/** A refusal of `record_message` or `admit_message`: the error code of the database, and its detail. */
type Refusal = { code: string; detail?: string };

const refusals: Readonly<Record<string, (detail: string | undefined) => Failure>> = {
	LN001: () => failures.idempotency_key_reused({ fields: { field: "idempotency-key", in: "headers" } }),
	LN002: (detail) => failures.daily_limit_reached(describeDay("daily", detail)),
	LN003: (detail) =>
		failures.too_many_recipients({ fields: { field: "to", in: "body", max: Number(detail) } }),
	LN004: (detail) => failures.channel_limited({ headers: { "retry-after": String(detail) } }),
	LN005: (detail) => failures.trial_limit_reached(describeDay("trial", detail)),
};

/** The detail has the value of the limit, and the seconds until the tenant's day ends. */
function describeDay(limit: DayLimit, detail = "") {
	const [value, seconds] = detail.split(" ");
	return {
		fields: { limit: dayLimits[limit], limit_value: Number(value) },
		headers: { "retry-after": String(seconds) },
	};
}

/** Returns the failure of a refusal by the database; undefined if the error is another one. */
export function refusalOf(error: unknown): Failure | undefined {
	if (!(error instanceof Error) || !("code" in error)) return undefined;
	const { code, detail } = error as Error & Refusal;
	return refusals[code]?.(detail);
}

/**
 * Returns the limit of the day for which the database refused a message; undefined if the error is another
 * one.
 */
export function dayLimitOf(error: unknown): DayLimit | undefined {
	const code = refusalOf(error)?.code;
	if (code === "daily_limit_reached") return "daily";
	return code === "trial_limit_reached" ? "trial" : undefined;
}
