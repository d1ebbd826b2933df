import { currentTenant, type Database } from "@lango/postgres";

/** Where a mobile-money payout goes, and what is written on it. */
export type PayoutTarget = {
	/** A phone, a till or a shortcode. */
	destination: string;
	accountRef: string | null;
	/** What the gateway calls it. */
	command: string;
	remarks: string;
};

/** Records where payouts go. Call it inside the tenant. */
export async function recordTargets(
	tx: Database,
	tenantId: string,
	targets: ReadonlyArray<{ payoutId: string; target: PayoutTarget }>,
): Promise<void> {
	const rows = targets.map(({ payoutId, target: { destination, accountRef, command, remarks } }) => ({
		...{ payout_id: payoutId, destination, account_ref: accountRef, command, remarks },
	}));
	await tx.query(
		`insert into payout_targets (tenant_id, payout_id, destination, account_ref, command, remarks)
		 select $1, t.* from jsonb_to_recordset($2)
		          as t (payout_id uuid, destination text, account_ref text, command text, remarks text)
		 on conflict do nothing`,
		[tenantId, JSON.stringify(rows)],
	);
}

/** Finds where a payout goes. Call it inside the tenant. */
export async function findTarget(tx: Database, payoutId: string): Promise<PayoutTarget | undefined> {
	const [row] = await tx.query<{
		destination: string;
		account_ref: string | null;
		command: string;
		remarks: string;
	}>(
		"select destination, account_ref, command, remarks from payout_targets where tenant_id = $2 and payout_id = $1",
		[payoutId, currentTenant(tx)],
	);
	return (
		row && {
			...{ destination: row.destination, accountRef: row.account_ref },
			...{ command: row.command, remarks: row.remarks },
		}
	);
}
