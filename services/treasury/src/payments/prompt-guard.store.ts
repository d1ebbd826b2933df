import { createHash } from "node:crypto";
import type { Database } from "@lango/postgres";

type Guarded = { shortcode: string; phone: string };

const hashPhone = (phone: string): Buffer => createHash("sha256").update(phone).digest();

/**
 * Takes the right to prompt a phone for a shortcode until a time. Returns false if a prompt is live: the
 * gateway would refuse the second one, or show it after the first was paid.
 */
export async function takePromptGuard(
	tx: Database,
	{ shortcode, phone, until, now }: Guarded & { until: Date; now: Date },
): Promise<boolean> {
	const rows = await tx.query(
		`insert into prompt_guards as g (shortcode, phone_hash, until) values ($1, $2, $3)
		 on conflict (shortcode, phone_hash) do update set until = excluded.until where g.until <= $4
		 returning shortcode`,
		[shortcode, hashPhone(phone), until, now],
	);
	return rows.length > 0;
}

/** Ends the right of a prompt that has ended, unless a later prompt has taken it. */
export async function endPromptGuard(
	tx: Database,
	{ shortcode, phone, until }: Guarded & { until: Date },
): Promise<void> {
	await tx.query("delete from prompt_guards where shortcode = $1 and phone_hash = $2 and until <= $3", [
		...[shortcode, hashPhone(phone), until],
	]);
}

/** Returns until when a phone is being prompted for a shortcode. */
export async function findPromptGuard(
	tx: Database,
	{ shortcode, phone }: Guarded,
): Promise<Date | undefined> {
	const [row] = await tx.query<{ until: Date }>(
		"select until from prompt_guards where shortcode = $1 and phone_hash = $2",
		[shortcode, hashPhone(phone)],
	);
	return row?.until;
}
