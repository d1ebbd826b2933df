import { currentTenant, type Database } from "@lango/postgres";
import type { Payee } from "../../../payments/intent.ts";

/** What an account code names: an intent, or a standing order. */
export type Payable = {
	payee: Payee;
	isOpen: boolean;
	currency: string;
	/** What can still be paid; undefined: a standing order pays its price of the day. */
	dueMinor: bigint | undefined;
	/** The phone that consented to a standing order; undefined: anybody may pay. */
	phone: string | undefined;
};

type Row = { payee: Payee; is_open: boolean; currency: string; due: string | null; phone: string | null };

/** Finds an intent or a standing order that is to be paid. Call it inside the tenant. */
export async function findPayable(tx: Database, id: string): Promise<Payable | undefined> {
	const [row] = await tx.query<Row>(
		`select payee, ended_at is null as is_open, currency, (amount_minor - received_minor)::text as due, null as phone
		   from intents where tenant_id = $2 and id = $1
		 union all
		 select payee, ended_at is null, currency, null, phone from standing_orders where tenant_id = $2 and id = $1`,
		[id, currentTenant(tx)],
	);
	if (row === undefined) return undefined;
	return {
		...{ payee: row.payee, isOpen: row.is_open, currency: row.currency, phone: row.phone ?? undefined },
		dueMinor: row.due === null ? undefined : BigInt(row.due),
	};
}
