import type { Database } from "@lango/postgres";

/**
 * Erases phones, names and e-mails of a person in the intents and attempts of all tenants, and phones
 * that they typed as the account of a receipt. Amounts, numbers of receipts and masked phones stay, by
 * tax law.
 */
export async function erasePayer(db: Database, userId: string): Promise<void> {
	await db.query("select erase_payer($1)", [userId]);
}
