import { createHash } from "node:crypto";
import type { Database } from "@lango/postgres";

/** A phone, or with an amount only prompts for this amount on it. */
export type Guarded = { shortcode: string; phone: string; amountMinor?: bigint };

const hashOf = ({ phone, amountMinor }: Guarded): Buffer =>
	createHash("sha256")
		.update(amountMinor === undefined ? phone : `${phone} ${amountMinor}`)
		.digest();

/**
 * Takes rights to prompt a phone for a shortcode until a time. Returns the first that another prompt has:
 * the gateway would refuse the second one, or show it after the first was paid. Then the others must be
 * given up, by the end of the transaction.
 */
export async function takePromptGuards<G extends Guarded>(
	tx: Database,
	guards: readonly G[],
	{ until, now }: { until: Date; now: Date },
): Promise<G | undefined> {
	const rows = await tx.query<{ phone_hash: Buffer }>(
		`insert into prompt_guards as g (shortcode, phone_hash, until)
		 select shortcode, phone_hash, $3 from unnest($1::text[], $2::bytea[]) as taken (shortcode, phone_hash)
		  order by shortcode, phone_hash
		 on conflict (shortcode, phone_hash) do update set until = excluded.until where g.until <= $4
		 returning phone_hash`,
		[guards.map(({ shortcode }) => shortcode), guards.map(hashOf), until, now],
	);
	return guards.find((one) => !rows.some(({ phone_hash }) => phone_hash.equals(hashOf(one))));
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
