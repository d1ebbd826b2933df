import type { Database } from "@lango/postgres";
import type { Payee } from "../../../payments/intent.ts";

/** What can still be paid of an intent. */
export type Payable = { payee: Payee; isOpen: boolean; dueMinor: bigint };

/** Finds an intent that is to be paid. Call it inside the tenant. */
export async function findPayable(tx: Database, intentId: string): Promise<Payable | undefined> {
	const [row] = await tx.query<{ payee: Payee; is_open: boolean; due: string }>(
		`select payee, ended_at is null as is_open, (amount_minor - received_minor)::text as due
		   from intents where id = $1`,
		[intentId],
	);
	return row && { payee: row.payee, isOpen: row.is_open, dueMinor: BigInt(row.due) };
}
