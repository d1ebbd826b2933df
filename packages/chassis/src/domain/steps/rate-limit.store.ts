import type { Database } from "@lango/postgres";
import type { RateLimit } from "../../count-requests.ts";

/** How many requests are answered in a window, by where they come from and by who sends them. */
export type RateLimits = Record<"address" | "caller", RateLimit>;

/** The limits in force. Throws an Error when a row is missing. */
export async function getRateLimits(db: Database): Promise<RateLimits> {
	const rows = await db.query<{ scope: string; requests: number; window_seconds: number }>(
		"select scope, requests, window_seconds from rate_limit_config",
	);
	const find = (scope: keyof RateLimits) => {
		const row = rows.find((one) => one.scope === scope);
		if (row === undefined) throw new Error(`rate_limit_config has no row "${scope}"`);
		return { requests: row.requests, windowSeconds: row.window_seconds };
	};
	return { address: find("address"), caller: find("caller") };
}
