import { currentTenant, type Database } from "@lango/postgres";
import type { Payee } from "../payments/intent.ts";
import type { CardPlan, CardPlanStatus } from "./card-plan.ts";

type Row = {
	tenant_id: string;
	id: string;
	payee: Payee;
	status: CardPlanStatus;
	name: string;
	frequency: CardPlan["frequency"];
	amount_minor: string;
	currency: string;
	plan_code: string | null;
	failure_code: string | null;
	fingerprint: Buffer;
	created_at: Date;
};

const columns = `tenant_id, id, payee, status, name, frequency, amount_minor, currency, plan_code, failure_code, fingerprint,
	created_at`;

/** A plan with the hash of its request: the same key with another hash is refused. */
export type StoredPlan = CardPlan & { fingerprint: Buffer };

const fromRow = (row: Row): StoredPlan => ({
	...{ tenantId: row.tenant_id, id: row.id, payee: row.payee, status: row.status, name: row.name },
	...{ frequency: row.frequency, amountMinor: BigInt(row.amount_minor), currency: row.currency },
	...{ planCode: row.plan_code, failureCode: row.failure_code, fingerprint: row.fingerprint },
	createdAt: row.created_at,
});

export type NewPlan = Omit<StoredPlan, "status" | "planCode" | "failureCode"> & {
	createdBy: { kind: string; id: string };
	idempotencyKey: string | undefined;
};

/**
 * Records a plan that the gateway is about to be asked for. Returns undefined if there is one of its
 * Idempotency-Key. Call it inside the tenant.
 */
export async function recordPlan(tx: Database, plan: NewPlan): Promise<StoredPlan | undefined> {
	const [row] = await tx.query<Row>(
		`insert into card_plans (tenant_id, id, payee, status, name, frequency, amount_minor, currency, created_by_kind, created_by,
		   idempotency_key, fingerprint, created_at)
		 values ($1, $2, $3, 'creating', $4, $5, $6, $7, $8, $9, $10, $11, $12)
		 on conflict (tenant_id, created_by_kind, created_by, idempotency_key) do nothing returning ${columns}`,
		[
			...[plan.tenantId, plan.id, plan.payee, plan.name, plan.frequency, plan.amountMinor, plan.currency],
			...[plan.createdBy.kind, plan.createdBy.id, plan.idempotencyKey ?? null, plan.fingerprint],
			plan.createdAt,
		],
	);
	return row && fromRow(row);
}

/** Returns the plan that a caller made with an Idempotency-Key. Call it inside the tenant. */
export async function findPlanByKey(
	tx: Database,
	{ createdBy, key }: { createdBy: NewPlan["createdBy"]; key: string },
): Promise<StoredPlan | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from card_plans where tenant_id = $4 and created_by_kind = $1 and created_by = $2 and idempotency_key = $3`,
		[createdBy.kind, createdBy.id, key, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** Returns a plan of a payee. Call it inside the tenant. */
export async function findPlan(
	tx: Database,
	{ id, payee }: { id: string; payee: Payee },
): Promise<StoredPlan | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from card_plans where tenant_id = $3 and id = $1 and payee = $2`,
		[id, payee, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** Lists the plans of the tenant's own trade, the newest first. Call it inside the tenant. */
export async function listPlans(
	tx: Database,
	{ after, limit }: { after: string | undefined; limit: number },
): Promise<StoredPlan[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from card_plans where tenant_id = $3 and payee = 'tenant' and ($1::uuid is null or id < $1) order by id desc limit $2`,
		[after ?? null, limit, currentTenant(tx)],
	);
	return rows.map(fromRow);
}

/**
 * Stores the code that the gateway gave a plan, by which it is found from now on. Call it inside the
 * tenant.
 */
export async function activatePlan(
	tx: Database,
	{ tenantId, id }: Pick<CardPlan, "tenantId" | "id">,
	planCode: string,
): Promise<StoredPlan> {
	await tx.query(
		"insert into locators (kind, value, tenant_id, object_id) values ('card_plan', $1, $2, $3) on conflict do nothing",
		[planCode, tenantId, id],
	);
	return update(tx, "status = 'active', plan_code = $2", [id, planCode]);
}

/** Stores why the gateway refused a plan. Call it inside the tenant. */
export const failPlan = (tx: Database, id: string, code: string): Promise<StoredPlan> =>
	update(tx, "status = 'failed', failure_code = $2", [id, code]);

/** Removes a plan that the gateway did not take now. Call it inside the tenant. */
export async function removePlan(tx: Database, id: string): Promise<undefined> {
	await tx.query("delete from card_plans where tenant_id = $2 and id = $1 and status = 'creating'", [
		id,
		currentTenant(tx),
	]);
}

async function update(tx: Database, change: string, values: [id: string, value: string]) {
	const [row] = await tx.query<Row>(
		`update card_plans set ${change} where tenant_id = $3 and id = $1 returning ${columns}`,
		[...values, currentTenant(tx)],
	);
	if (row === undefined) throw new Error(`the card plan ${values[0]} is missing`);
	return fromRow(row);
}
