import type { Database } from "@lango/postgres";
import { after, countLifeSeconds, failuresMax, lockSeconds } from "./pin-lock.ts";

/** The person and the terminal whose attempts are counted. */
export type AttemptKey = { tenantId: string; terminalId: string; userId: string };

/**
 * A counted attempt: its number in its round. A round ends with a right PIN, a new PIN or the end of a lock.
 */
export type CountedAttempt = { failures: number; round: number };

/**
 * Counts an attempt before the PIN is checked, in one statement, so that parallel attempts cannot exceed the
 * limit. If the person is locked, counts nothing and returns the end of the lock. Call it inside the tenant.
 */
export async function countAttempt(
	tx: Database,
	{ tenantId, terminalId, userId }: AttemptKey,
	now: Date,
): Promise<CountedAttempt | { lockedUntil: Date }> {
	const [counted] = await tx.query<{ failures: number; round: number }>(
		`insert into pin_attempts as a (tenant_id, terminal_id, user_id, failures, round, locked_until, last_at)
		 values ($1, $2, $3, 1, 0, null, $4)
		 on conflict (tenant_id, terminal_id, user_id) do update
		    set failures = case when a.locked_until is null and a.last_at > $7 then a.failures + 1 else 1 end,
		        round = case when a.locked_until is null and a.last_at > $7 then a.round else a.round + 1 end,
		        locked_until = case when a.locked_until is null and a.last_at > $7 and a.failures + 1 >= $5
		                            then $6::timestamptz end,
		        last_at = $4
		  where a.locked_until is null or a.locked_until <= $4
		 returning failures, round`,
		[tenantId, terminalId, userId, now, failuresMax, after(now, lockSeconds), after(now, -countLifeSeconds)],
	);
	if (counted !== undefined) return counted;
	const [locked] = await tx.query<{ locked_until: Date | null }>(
		"select locked_until from pin_attempts where tenant_id = $1 and terminal_id = $2 and user_id = $3",
		[tenantId, terminalId, userId],
	);
	return { lockedUntil: locked?.locked_until ?? now };
}

/** Resets the count after a right PIN and ends a lock that parallel attempts of the same round caused. */
export async function clearAttempts(
	tx: Database,
	{ tenantId, terminalId, userId }: AttemptKey,
	{ round }: CountedAttempt,
): Promise<void> {
	await tx.query(
		`update pin_attempts set failures = 0, round = round + 1, locked_until = null
		  where tenant_id = $1 and terminal_id = $2 and user_id = $3 and round = $4`,
		[tenantId, terminalId, userId, round],
	);
}

/** Takes back an attempt whose PIN could not be checked. */
export async function takeBackAttempt(
	tx: Database,
	{ tenantId, terminalId, userId }: AttemptKey,
	{ round }: CountedAttempt,
): Promise<void> {
	await tx.query(
		`update pin_attempts set failures = failures - 1, locked_until = null
		  where tenant_id = $1 and terminal_id = $2 and user_id = $3 and round = $4 and failures > 0`,
		[tenantId, terminalId, userId, round],
	);
}

/** Resets the counts of a person at all terminals: they have a new PIN. Call it inside the tenant. */
export async function resetAttempts(
	tx: Database,
	{ tenantId, userId }: Omit<AttemptKey, "terminalId">,
): Promise<void> {
	await tx.query(
		`update pin_attempts set failures = 0, round = round + 1, locked_until = null
		  where tenant_id = $1 and user_id = $2`,
		[tenantId, userId],
	);
}
