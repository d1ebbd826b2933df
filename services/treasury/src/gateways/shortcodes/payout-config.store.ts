import type { Database } from "@lango/postgres";

/** Where a tenant's payouts go, and when they are asked for (payments text §2.3). */
export type PayoutConfig = {
	recipientId: string | undefined;
	/** Of the recipient, at the gateway. */
	recipientCode: string | undefined;
	schedule: "manual" | "daily" | "weekly";
	minimumMinor: number;
	/** Undefined: the highest of the profile. */
	approvalAboveMinor: number | undefined;
};

type Stored = {
	recipient_id?: string;
	recipient_code?: string;
	schedule?: PayoutConfig["schedule"];
	minimum_minor?: number;
	approval_above_minor?: number;
};

/** Returns the payout configuration of the tenant; without one, its defaults. Call it inside the tenant. */
export async function findPayoutConfig(tx: Database): Promise<PayoutConfig> {
	const [row] = await tx.query<{ payout_config: Stored }>("select payout_config from tenant_gateways");
	const stored = row?.payout_config ?? {};
	return {
		...{ recipientId: stored.recipient_id, recipientCode: stored.recipient_code },
		...{ schedule: stored.schedule ?? "manual", minimumMinor: stored.minimum_minor ?? 0 },
		approvalAboveMinor: stored.approval_above_minor,
	};
}

/** Stores the payout configuration of the tenant. Call it inside the tenant. */
export async function savePayoutConfig(
	tx: Database,
	{ tenantId, config, now }: { tenantId: string; config: PayoutConfig; now: Date },
): Promise<void> {
	const stored: Required<{ [K in keyof Stored]: unknown }> = {
		...{ recipient_id: config.recipientId, recipient_code: config.recipientCode, schedule: config.schedule },
		...{ minimum_minor: config.minimumMinor, approval_above_minor: config.approvalAboveMinor },
	};
	await tx.query(
		`insert into tenant_gateways as g (tenant_id, payout_config, updated_at) values ($1, $2, $3)
		 on conflict on constraint tenant_gateways__pkey do update
		   set payout_config = excluded.payout_config, version = g.version + 1, updated_at = excluded.updated_at`,
		[tenantId, JSON.stringify(stored), now],
	);
}
