import { type Database, inTenant } from "@lango/postgres";
import type { Halt, HaltScope } from "./halt.ts";

type Row = { scope: HaltScope; tenant_id: string | null; because: string; set_by: string; set_at: Date };

const fromRow = (row: Row): Halt => ({
	...{ scope: row.scope, tenantId: row.tenant_id ?? undefined, because: row.because },
	...{ setBy: row.set_by, setAt: row.set_at },
});

/** The place of a halt of every tenant: before those of one. */
const everyTenant = "00000000-0000-0000-0000-000000000000";

/** The place of a halt in its list. */
export type HaltPlace = { tenantId: string; scope: string };

/** The place of a halt. */
export const placeOfHalt = ({ tenantId = everyTenant, scope }: Halt): HaltPlace => ({ tenantId, scope });

const allHalts = `(
	select scope, null::uuid as tenant_id, is_on, because, set_by, set_at from platform_halts
	union all
	select scope, tenant_id, is_on, because, set_by, set_at from halts) h`;

/** Lists the halts that are on, those of every tenant first. Call it across tenants. */
export async function listHalts(
	tx: Database,
	{ after, limit }: { after: HaltPlace | undefined; limit: number },
): Promise<Halt[]> {
	const rows = await tx.query<Row>(
		`select scope, tenant_id, because, set_by, set_at from ${allHalts}
		  where is_on and ($1::uuid is null or (coalesce(tenant_id, $4), scope) > ($1, $2))
		  order by coalesce(tenant_id, $4), scope limit $3`,
		[after?.tenantId ?? null, after?.scope ?? "", limit, everyTenant],
	);
	return rows.map(fromRow);
}

/** Finds a halt that is on, of every tenant or of this one. Call it inside the tenant. */
export async function findHalt(tx: Database, scope: HaltScope): Promise<Halt | undefined> {
	const [row] = await tx.query<Row>(
		`select scope, tenant_id, because, set_by, set_at from ${allHalts} where scope = $1 and is_on
		  order by tenant_id nulls first limit 1`,
		[scope],
	);
	return row && fromRow(row);
}

/** Switches a halt, and runs `alsoDo` in the same transaction. */
export async function switchHalt(
	db: Database,
	{ isOn, scope, tenantId, because, setBy, setAt }: Halt & { isOn: boolean },
	alsoDo: (tx: Database) => Promise<void>,
): Promise<void> {
	const values = [scope, isOn, because, setBy, setAt] as const;
	const write = async (tx: Database) => {
		if (tenantId === undefined) await writePlatformHalt(tx, values);
		else await writeHalt(tx, tenantId, values);
		await alsoDo(tx);
	};
	await (tenantId === undefined ? db.transaction(write) : inTenant(db, tenantId, write));
}

type Values = readonly [HaltScope, isOn: boolean, because: string, setBy: string, setAt: Date];

const replaced =
	"is_on = excluded.is_on, because = excluded.because, set_by = excluded.set_by, set_at = excluded.set_at";

const writePlatformHalt = (tx: Database, values: Values) =>
	tx.query(
		`insert into platform_halts (scope, is_on, because, set_by, set_at) values ($1, $2, $3, $4, $5)
		 on conflict on constraint platform_halts__pkey do update set ${replaced}`,
		values,
	);

const writeHalt = (tx: Database, tenantId: string, values: Values) =>
	tx.query(
		`insert into halts (scope, is_on, because, set_by, set_at, tenant_id) values ($1, $2, $3, $4, $5, $6)
		 on conflict on constraint halts__pkey do update set ${replaced}`,
		[...values, tenantId],
	);
