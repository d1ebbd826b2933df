import type { Database } from "@lango/postgres";
import { RateLimiterMemory, RateLimiterPostgres } from "rate-limiter-flexible";

const insuranceOf = (points: number) => new RateLimiterMemory({ points, duration: 1 });

/**
 * Creates a bucket of `points` calls per second that all processes share: one statement for each call. While
 * the database does not answer, each process counts by itself.
 */
export function sharedBucket(db: Database, points: number): RateLimiterPostgres {
	return new RateLimiterPostgres({
		...{ points, duration: 1, tableName: "gateway_calls", tableCreated: true, keyPrefix: "" },
		...{ storeType: "pool", clearExpiredByTimeout: false, insuranceLimiter: insuranceOf(points) },
		storeClient: {
			query: async ({ text, values }: { text: string; values: unknown[] }) => ({
				rows: await db.query(text, values),
			}),
		},
	});
}

/** The same for one process. */
export const ownBucket = insuranceOf;
