import { authUserDeleted } from "@lango/contracts";
import type { Database } from "@lango/postgres";

/** In SQL: whether a delivery is the erasure of a person, which waits behind nothing that failed. */
export const isErasure = (alias: string): string => `${alias}.type = '${authUserDeleted.type}'`;

/** Which deliveries are superseded: what the same producer told of the person. */
const superseded = `${authUserDeleted.type.split(".")[0]}.%`;

/**
 * Gives up what was told earlier of a person who is erased and waits after a failure, its own or another's: it is noted as
 * applied, and gone. Waits for whoever is applying one of them just now. Call it in the transaction of the erasure, before its
 * effect. Says how many there were; what others told under the person's id stays.
 */
export async function giveUpSuperseded(
	tx: Database,
	{ consumer, subject, position, now }: { consumer: string; subject: string; position: bigint; now: Date },
): Promise<number> {
	const rows = await tx.query(
		`with earlier as (
		   select position from deliveries d
		    where consumer = $1 and subject = $2 and position < $3 and is_held and type like $5 and not (${isErasure("d")})
		    order by position for update),
		 gone as (
		   delete from deliveries where position in (select position from earlier) returning event_id),
		 noted as (
		   insert into inbox (event_id, consumer, applied_at, seen_at)
		   select event_id, $1, $4::timestamptz, $4::timestamptz from gone where event_id is not null
		   on conflict on constraint inbox__pkey do nothing)
		 select 1 from gone`,
		[consumer, subject, position, now, superseded],
	);
	return rows.length;
}
