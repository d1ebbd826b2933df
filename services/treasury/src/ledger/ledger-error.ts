/** A guarded account would fall below 0: its money is used already. Nothing was posted. */
export class LedgerOverdrawn extends Error {
	/** The code of the account. */
	readonly account: string;

	constructor(account: string, cause: Error) {
		super(`ledger_overdrawn: ${account}`, { cause });
		this.name = "LedgerOverdrawn";
		this.account = account;
	}
}

/** The purpose of a source was posted before with other lines, which is a bug. Nothing was posted. */
export class LedgerJournalDiffers extends Error {
	constructor(journal: string, cause: Error) {
		super(`ledger_journal_differs: ${journal}`, { cause });
		this.name = "LedgerJournalDiffers";
	}
}
