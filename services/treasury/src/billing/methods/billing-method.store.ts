import { currentTenant, type Database } from "@lango/postgres";

/** How a tenant's renewals are collected. */
export type BillingMethod = {
	/**
	 * `none`: somebody pays each bill. `push`: a phone is asked to pay. `standing_order`: the payer's
	 * wallet pays by itself. `card_subscription`: a card is charged.
	 */
	kind: "none" | "push" | "standing_order" | "card_subscription";
	phone: string | null;
	email: string | null;
	standingOrderId: string | null;
	cardSubscriptionId: string | null;
	version: number;
};

const none: BillingMethod = {
	...{ kind: "none", phone: null, email: null, standingOrderId: null, cardSubscriptionId: null },
	version: 0,
};

const columns =
	'kind, phone, email, standing_order_id as "standingOrderId", card_subscription_id as "cardSubscriptionId", version';

/** Returns how the tenant's renewals are collected. Call it inside the tenant. */
export async function findBillingMethod(tx: Database): Promise<BillingMethod> {
	const [row] = await tx.query<BillingMethod>(`select ${columns} from billing_methods where tenant_id = $1`, [
		currentTenant(tx),
	]);
	return row ?? none;
}

type NewMethod = Pick<BillingMethod, "kind" | "phone" | "email"> &
	Partial<Pick<BillingMethod, "standingOrderId" | "cardSubscriptionId">> & { now: Date };

/** Stores how the tenant's renewals are collected. Call it inside the tenant. */
export async function updateBillingMethod(
	tx: Database,
	tenantId: string,
	{ kind, phone, email, standingOrderId = null, cardSubscriptionId = null, now }: NewMethod,
): Promise<BillingMethod> {
	const [row] = await tx.query<BillingMethod>(
		`insert into billing_methods as m (tenant_id, kind, phone, email, standing_order_id, card_subscription_id, version,
		   updated_at)
		 values ($1, $2, $3, $4, $5, $6, 1, $7)
		 on conflict (tenant_id) do update set kind = excluded.kind, phone = excluded.phone, email = excluded.email,
		   standing_order_id = excluded.standing_order_id, card_subscription_id = excluded.card_subscription_id,
		   version = m.version + 1, updated_at = excluded.updated_at
		 returning ${columns}`,
		[tenantId, kind, phone, email, standingOrderId, cardSubscriptionId, now],
	);
	if (row === undefined) throw new Error("the billing method was not stored");
	return row;
}
