import type { Database } from "@lango/postgres";
import { failuresMax, forgottenSeconds, lockSeconds } from "./pin-lock.ts";

/** Whose attempts, and where. */
export type AttemptKey = { tenantId: string; terminalId: string; userId: string };

/** An attempt that was counted: the how-manyeth of its round it is. */
export type CountedAttempt = { failures: number; round: number };

/**
 * Counts an attempt before it is tried, in one statement: of any number at once no more are counted than may fail. Returns
 * until when the person is locked instead, where that is so: then nothing was counted. Call it inside the tenant.
 */
export async function countAttempt(
	tx: Database,
	{ tenantId, terminalId, userId }: AttemptKey,
	now: Date,
): Promise<CountedAttempt | { lockedUntil: Date }> {
	const [counted] = await tx.query<{ failures: number; round: number }>(
		`insert into pin_attempts as a (tenant_id, terminal_id, user_id, failures, round, locked_until, last_at)
		 values ($1, $2, $3, 1, 0, null, $4)
		 on conflict (terminal_id, user_id) do update
		    set (failures, round, locked_until, last_at) = (
		          select counted.failures, a.round + counted.is_new::integer,
		                 case when counted.failures >= $5 then $4::timestamptz + make_interval(secs => $6) end, $4
		            from (select is_new, case when is_new then 1 else a.failures + 1 end as failures
		                    from (select a.locked_until is not null or a.last_at <= $4::timestamptz - make_interval(secs => $7) as is_new) as begun
		                 ) as counted)
		  where a.locked_until is null or a.locked_until <= $4
		 returning failures, round`,
		[tenantId, terminalId, userId, now, failuresMax, lockSeconds, forgottenSeconds],
	);
	if (counted !== undefined) return counted;
	const [locked] = await tx.query<{ locked_until: Date | null }>(
		"select locked_until from pin_attempts where terminal_id = $1 and user_id = $2",
		[terminalId, userId],
	);
	return { lockedUntil: locked?.locked_until ?? now };
}

/** A right PIN: the count begins anew, and a lock by others at the same time is lifted. */
export async function clearAttempts(
	tx: Database,
	{ terminalId, userId }: AttemptKey,
	{ round }: CountedAttempt,
): Promise<void> {
	await tx.query(
		`update pin_attempts set failures = 0, round = round + 1, locked_until = null
		  where terminal_id = $1 and user_id = $2 and round = $3`,
		[terminalId, userId, round],
	);
}

/** Takes back an attempt that could not be tried. */
export async function takeBackAttempt(
	tx: Database,
	{ terminalId, userId }: AttemptKey,
	{ round }: CountedAttempt,
): Promise<void> {
	await tx.query(
		`update pin_attempts set failures = failures - 1, locked_until = null
		  where terminal_id = $1 and user_id = $2 and round = $3 and failures > 0`,
		[terminalId, userId, round],
	);
}

/** A new PIN has nothing to do with wrong ones of before. Call it inside the tenant. */
export async function forgetAttempts(tx: Database, userId: string): Promise<void> {
	await tx.query(
		`update pin_attempts set failures = 0, round = round + 1, locked_until = null where user_id = $1`,
		[userId],
	);
}
