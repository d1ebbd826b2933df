import { defineFailures } from "@lango/chassis";

/** The failures of the ledger's routes. */
export const ledgerFailures = defineFailures({
	account_not_found: ["not_found", "Account not found."],
	shards_not_fewer: ["conflict", "The account has more shards already. They are never taken away."],
});
