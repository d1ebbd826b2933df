import type { Database } from "@lango/postgres";
import { after, hourlyFailuresMax, hourSeconds } from "./pin-lock.ts";

/** A person in a tenant. */
export type PersonKey = { tenantId: string; userId: string };

/** A failure counted in advance: the number within the hour, and the values that `takeBackFailure` needs. */
export type CountedFailure = { failures: number; round: number; at: Date };

/**
 * Counts a failure of a person at any terminal before the PIN is checked, so that parallel attempts cannot
 * exceed the limit. If the person is locked, counts nothing, does not extend the lock and returns the end of
 * the lock. Locks the person's row until the transaction ends. Call it inside the tenant, before
 * `countAttempt`.
 */
export async function countFailure(
	tx: Database,
	{ tenantId, userId }: PersonKey,
	at: Date,
): Promise<CountedFailure | { lockedUntil: Date }> {
	const [counted] = await tx.query<{ failures: number; round: number }>(
		`insert into pin_failures as f (user_id, tenant_id, failed_at, round, locked_until, last_at)
		 values ($1, $2, array[$3::timestamptz], 0, null, $3)
		 on conflict (tenant_id, user_id) do update
		    set failed_at = case when f.locked_until is null then failures_after(f.failed_at, $6) else '{}' end
		                    || $3::timestamptz,
		        locked_until = case when f.locked_until is null
		                             and cardinality(failures_after(f.failed_at, $6)) + 1 >= $4 then $5::timestamptz end,
		        last_at = $3
		  where f.locked_until is null or f.locked_until <= $3
		 returning cardinality(failed_at) as failures, round`,
		[userId, tenantId, at, hourlyFailuresMax, after(at, hourSeconds), after(at, -hourSeconds)],
	);
	if (counted !== undefined) return { ...counted, at };
	const [locked] = await tx.query<{ locked_until: Date | null }>(
		"select locked_until from pin_failures where tenant_id = $1 and user_id = $2",
		[tenantId, userId],
	);
	return { lockedUntil: locked?.locked_until ?? at };
}

/**
 * Takes back one counted failure: the PIN was right, or could not be checked. Ends the lock that it caused.
 */
export async function takeBackFailure(
	tx: Database,
	{ tenantId, userId }: PersonKey,
	{ round, at }: CountedFailure,
): Promise<void> {
	await tx.query(
		`update pin_failures
		    set failed_at = failed_at[:array_position(failed_at, $3::timestamptz) - 1]
		                    || failed_at[array_position(failed_at, $3::timestamptz) + 1:],
		        locked_until = null
		  where user_id = $1 and round = $2 and $3::timestamptz = any (failed_at) and tenant_id = $4`,
		[userId, round, at, tenantId],
	);
}

/** Resets the failures of a person and ends their lock: they have a new PIN. */
export async function resetFailures(tx: Database, { tenantId, userId }: PersonKey): Promise<void> {
	await tx.query(
		`update pin_failures set failed_at = '{}', round = round + 1, locked_until = null, recorded_until = null
		  where tenant_id = $1 and user_id = $2`,
		[tenantId, userId],
	);
}

/**
 * Claims the recording of a person's lock. Returns the end of the lock, or undefined if the person is not
 * locked or the lock is recorded already. A lock that a taken-back failure ended and another failure began
 * again counts as the same lock.
 */
export async function claimLockRecord(
	tx: Database,
	{ tenantId, userId }: PersonKey,
	now: Date,
): Promise<Date | undefined> {
	const [row] = await tx.query<{ locked_until: Date }>(
		`update pin_failures set recorded_until = locked_until
		  where user_id = $1 and locked_until > $2 and (recorded_until is null or recorded_until <= $2)
		    and tenant_id = $3
		 returning locked_until`,
		[userId, now, tenantId],
	);
	return row?.locked_until;
}
