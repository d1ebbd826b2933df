import type { Database } from "@lango/postgres";

/** What can still be paid of an intent. */
export type Payable = { isOpen: boolean; dueMinor: bigint };

/** Finds an intent that is to be paid. Call it inside the tenant. */
export async function findPayable(tx: Database, intentId: string): Promise<Payable | undefined> {
	const [row] = await tx.query<{ is_open: boolean; due: string }>(
		"select ended_at is null as is_open, (amount_minor - received_minor)::text as due from intents where id = $1",
		[intentId],
	);
	return row && { isOpen: row.is_open, dueMinor: BigInt(row.due) };
}
