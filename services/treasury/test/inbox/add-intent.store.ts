import { randomUUID } from "node:crypto";
import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { mintAccountCode } from "../../src/payments/account-code.ts";

type NewIntent = {
	tenantId: string;
	amountMinor: bigint;
	receivedMinor?: bigint;
	isOver?: boolean;
	currency?: string;
};

/** Adds an intent, and returns its account code. */
export async function addIntent(
	db: Database,
	{ tenantId, amountMinor, receivedMinor = 0n, isOver = false, currency = "KES" }: NewIntent,
): Promise<string> {
	const [id, code] = [randomUUID(), mintAccountCode()];
	await ensureTenant(db, tenantId);
	await inTenant(db, tenantId, async (tx) => {
		await tx.query(
			`insert into intents (tenant_id, id, payee, source_service, operation_id, description, amount_minor, currency,
			   received_minor, status, asked_attempt, asked_at, account_code, pay_code_hash, pay_code_sealed, pay_code_key_id, channels,
			   customer, metadata, expires_at, ended_at, version, created_by_kind, created_by, fingerprint, created_at)
			 values ($1, $2, 'tenant', 'ordering', $2, 'an order', $3, $7, $4, case when $6 then 'cancelled' else 'requires_payment' end,
			   1, now(), $5, '\\x00', '\\x00', 'test', '{push}', '{}', '{}', now() + interval '1 day',
			   case when $6 then now() end, 1, 'person', 'x', '\\x00', now())`,
			[tenantId, id, amountMinor, receivedMinor, code, isOver, currency],
		);
		await tx.query(
			"insert into locators (kind, value, tenant_id, object_id) values ('account_code', $1, $2, $3)",
			[code, tenantId, id],
		);
	});
	return code;
}

/** Adds a standing order for the tenant's own trade, and returns its account code. */
export async function addOrder(
	db: Database,
	{ tenantId, phone, isOver = false }: { tenantId: string; phone: string; isOver?: boolean },
): Promise<string> {
	const [id, code] = [randomUUID(), mintAccountCode()];
	await ensureTenant(db, tenantId);
	await inTenant(db, tenantId, async (tx) => {
		await tx.query(
			`insert into standing_orders (tenant_id, id, payee, status, phone, amount_minor, currency, frequency, start_on, end_on,
			   description, shortcode, account_code, version, created_by_kind, created_by, fingerprint, created_at, ended_at)
			 values ($1, $2, 'tenant', case when $5 then 'stopped' else 'active' end, $3, 100000, 'KES', 'monthly', '2026-01-01',
			   '2027-01-01', 'dues', '600638', $4, 1, 'person', 'x', '\\x00', now(), case when $5 then now() end)`,
			[tenantId, id, phone, code, isOver],
		);
		await tx.query(
			"insert into locators (kind, value, tenant_id, object_id) values ('account_code', $1, $2, $3)",
			[code, tenantId, id],
		);
	});
	return code;
}
