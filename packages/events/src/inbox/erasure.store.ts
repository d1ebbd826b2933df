import { authUserDeleted } from "@lango/contracts";
import type { Database } from "@lango/postgres";

/** SQL condition: the delivery erases a person, so it waits behind no failed delivery. */
export const isErasure = (alias: string): string => `${alias}.type = '${authUserDeleted.type}'`;

/** The types that an erasure supersedes: all of the same producer. */
const superseded = `${authUserDeleted.type.split(".")[0]}.%`;

/**
 * Discards earlier failed events about an erased person and records them as applied. Waits for processes that
 * are applying one of them. Call it in the transaction of the erasure, before its effect. Returns their
 * number. Events of other producers are kept.
 */
export async function discardSuperseded(
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
