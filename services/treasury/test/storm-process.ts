import { findWrong, runStorm, type Storm } from "./storm.ts";
import { openTill } from "./till.ts";

/** What the process sends. `wrong` are broken rules of the ledger and of the tenants' money. */
export type StormAnswer = { found: Storm; wrong: readonly object[]; seconds: number };

/**
 * Runs a storm for the bench of the treasury. The argument is the number of bills; `TEST_DATABASE_URL` is the
 * administrator's address of PostgreSQL.
 */
const till = await openTill();
const starts = performance.now();
const found = await runStorm(till, { bills: Number(process.argv[2]) });
const answer: StormAnswer = {
	...{ found, wrong: await findWrong(till) },
	seconds: (performance.now() - starts) / 1_000,
};
await till.close();
process.send?.(answer);
process.disconnect();
