import type { Failure } from "@lango/chassis";
import { failures } from "../failures.ts";

/** A refusal of `record_message` or `admit_message`: the error code of the database, and its detail. */
type Refusal = { code: string; detail?: string };

const refusals: Readonly<Record<string, (detail: string | undefined) => Failure>> = {
	LN001: () => failures.idempotency_key_reused({ fields: { field: "idempotency-key", in: "headers" } }),
	LN002: (detail = "") => {
		const [value, seconds] = detail.split(" ");
		return failures.daily_limit_reached({
			fields: { limit: "max_emails_per_day", limit_value: Number(value) },
			headers: { "retry-after": String(seconds) },
		});
	},
	LN003: (detail) =>
		failures.too_many_recipients({ fields: { field: "to", in: "body", max: Number(detail) } }),
	LN004: (detail) => failures.channel_limited({ headers: { "retry-after": String(detail) } }),
};

/** Returns the failure of a refusal by the database; undefined if the error is another one. */
export function refusalOf(error: unknown): Failure | undefined {
	if (!(error instanceof Error) || !("code" in error)) return undefined;
	const { code, detail } = error as Error & Refusal;
	return refusals[code]?.(detail);
}
