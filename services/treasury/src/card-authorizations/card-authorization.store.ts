import { currentTenant, type Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Payee } from "../payments/intent.ts";
import type { CardAuthorization } from "./card-authorization.ts";

const columns = `tenant_id as "tenantId", id, payee, customer_code as "customerCode", brand, last4, exp_month as "expMonth",
	exp_year as "expYear", last_used_at as "lastUsedAt", created_at as "createdAt"`;

export type NewAuthorization = CardAuthorization & {
	/** The person whose payment it was, if the payment names one. */
	userId: string | null;
	code: Sealed;
};

/**
 * Keeps the card of a payment. One that is kept already gets the code of a later payment. Call it inside
 * the tenant.
 */
export async function recordAuthorization(tx: Database, card: NewAuthorization): Promise<void> {
	await tx.query(
		`insert into card_authorizations as a (tenant_id, id, payee, user_id, customer_code, brand, last4, exp_month, exp_year,
		   code_key_id, code_sealed, last_used_at, created_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		 on conflict (tenant_id, payee, customer_code, brand, last4, exp_year, exp_month) do update set
		   user_id = coalesce(excluded.user_id, a.user_id), code_key_id = excluded.code_key_id, code_sealed = excluded.code_sealed,
		   last_used_at = excluded.last_used_at
		   where excluded.last_used_at > a.last_used_at`,
		[
			...[card.tenantId, card.id, card.payee, card.userId, card.customerCode, card.brand, card.last4],
			...[card.expMonth, card.expYear, card.code.keyId, card.code.sealed, card.lastUsedAt, card.createdAt],
		],
	);
}

/** Returns a card with its code. Call it inside the tenant. */
export async function findAuthorization(
	tx: Database,
	{ id, payee }: { id: string; payee: Payee },
): Promise<(CardAuthorization & { code: Sealed }) | undefined> {
	const [row] = await tx.query<CardAuthorization & { code_key_id: string; code_sealed: Buffer }>(
		`select ${columns}, code_key_id, code_sealed from card_authorizations where tenant_id = $3 and id = $1 and payee = $2`,
		[id, payee, currentTenant(tx)],
	);
	if (row === undefined) return undefined;
	const { code_key_id: keyId, code_sealed: sealed, ...card } = row;
	return { ...card, code: { keyId, sealed } };
}

const listedMax = 100;

/** Lists the cards of a payee that have not expired, the last used first. Call it inside the tenant. */
export function listAuthorizations(
	tx: Database,
	{ payee, now }: { payee: Payee; now: Date },
): Promise<CardAuthorization[]> {
	return tx.query<CardAuthorization>(
		`select ${columns} from card_authorizations
		  where tenant_id = $4 and payee = $1 and make_date(exp_year, exp_month, 1) + interval '1 month' > $2
		  order by last_used_at desc, id desc limit $3`,
		[payee, now, listedMax, currentTenant(tx)],
	);
}
