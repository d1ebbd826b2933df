import { randomUUID } from "node:crypto";
import { inTenant, openPool } from "@lango/postgres";
import { answerRuns } from "../../../../bench/treasury/answer-runs.ts";
import { postJournal } from "../../src/ledger/ledger.store.ts";
import { collectByCard } from "../../src/ledger/postings/collecting.ts";
import { retryConflicts } from "../../src/ledger/retry-conflicts.ts";

/**
 * Posts card collections without HTTP, one transaction each, for the bench of the treasury. The arguments
 * are the address of the service's database and the number of connections.
 */
const [, , url = "", connections = "8"] = process.argv;
const db = openPool({ url, name: "bench", sizeMax: Number(connections) });
const posting = collectByCard({
	...{ payee: "tenant", amountMinor: 100_000n, allocatedMinor: 100_000n, currency: "KES" },
	...{ feeMinor: 3_500n, channel: "card" },
});

answerRuns((tenantId) =>
	retryConflicts(() =>
		inTenant(db, tenantId, (tx) =>
			postJournal(tx, {
				...{ tenantId, ...posting, source: { type: "receipt", id: randomUUID() } },
				...{ evidenceId: randomUUID(), at: new Date() },
			}),
		),
	),
);
