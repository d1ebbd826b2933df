import { defineSchedule } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { closeLedgerDays, sealJournals } from "./seal-journals.ts";
import { verifyLedger } from "./verify-ledger.ts";

type Ledger = { db: Database };

/** Every five seconds, in one process: adds committed journals to the hash chain. */
export const sealJournalsOften = defineSchedule<Ledger>({
	name: "ledger.seal",
	everySeconds: 5,
	work: ({ db }, { signal }) => sealJournals(db, signal),
});

/** Every hour: closes the days of accounts that are over and complete. */
export const closeDaysOften = defineSchedule<Ledger>({
	name: "ledger.close-days",
	everySeconds: 3_600,
	timeoutSeconds: 600,
	work: ({ db }, { signal }) => closeLedgerDays(db, signal),
});

/**
 * Every night: checks the hash chain, balances, closed days and the sum of all accounts. A difference
 * becomes a dead letter.
 */
export const verifyLedgerNightly = defineSchedule<Ledger>({
	name: "ledger.verify",
	everySeconds: 86_400,
	timeoutSeconds: 7_200,
	work: ({ db }, { signal }) => verifyLedger(db, signal),
});
