import { createHash } from "node:crypto";
import type { Database } from "@lango/postgres";

/** A phone, or with an amount only prompts for this amount on it. */
export type Guarded = { shortcode: string; phone: string; amountMinor?: bigint };

const hashOf = ({ phone, amountMinor }: Guarded): Buffer =>
	createHash("sha256")
		.update(amountMinor === undefined ? phone : `${phone} ${amountMinor}`)
		.digest();

/**
 * Takes the right to prompt a phone for a shortcode until a time. Returns false if another prompt has it:
 * the gateway would refuse the second one, or show it after the first was paid.
 */
export async function takePromptGuard(
	tx: Database,
	{ until, now, ...guarded }: Guarded & { until: Date; now: Date },
): Promise<boolean> {
	const rows = await tx.query(
		`insert into prompt_guards as g (shortcode, phone_hash, until) values ($1, $2, $3)
		 on conflict (shortcode, phone_hash) do update set until = excluded.until where g.until <= $4
		 returning shortcode`,
		[guarded.shortcode, hashOf(guarded), until, now],
	);
	return rows.length > 0;
}

/** Ends the right of a prompt that has ended, unless a later prompt has taken it. */
export async function endPromptGuard(
	tx: Database,
	{ until, ...guarded }: Guarded & { until: Date },
): Promise<void> {
	await tx.query("delete from prompt_guards where shortcode = $1 and phone_hash = $2 and until <= $3", [
		...[guarded.shortcode, hashOf(guarded), until],
	]);
}

/** Returns until when the right to prompt is taken. */
export async function findPromptGuard(tx: Database, guarded: Guarded): Promise<Date | undefined> {
	const [row] = await tx.query<{ until: Date }>(
		"select until from prompt_guards where shortcode = $1 and phone_hash = $2",
		[guarded.shortcode, hashOf(guarded)],
	);
	return row?.until;
}

/**
 * Removes rights that ended before a time: `limit` rows at most. Returns how many. One that is taken again
 * meanwhile stays.
 */
export async function removeEndedGuards(
	db: Database,
	{ before, limit }: { before: Date; limit: number },
): Promise<number> {
	const rows = await db.query(
		`delete from prompt_guards where (shortcode, phone_hash) in
		   (select shortcode, phone_hash from prompt_guards where until < $1 limit $2)
		   and until < $1 returning shortcode`,
		[before, limit],
	);
	return rows.length;
}
