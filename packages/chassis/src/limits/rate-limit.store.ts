import type { Database } from "@lango/postgres";
import type { RateLimit } from "./count-requests.ts";

/** The limit of requests in a window by address and by caller; undefined: no limit. */
export type RateLimits = Record<"address" | "caller", RateLimit | undefined>;

/** The current limits. A missing row means no limit. */
export async function getRateLimits(db: Database): Promise<RateLimits> {
	const rows = await db.query<{ scope: string; requests: number; window_seconds: number }>(
		"select scope, requests, window_seconds from rate_limit_config",
	);
	const find = (scope: keyof RateLimits) => {
		const row = rows.find((one) => one.scope === scope);
		return row && { requests: row.requests, windowSeconds: row.window_seconds };
	};
	return { address: find("address"), caller: find("caller") };
}
