import { Failure } from "@lango/chassis";
import type { Dependencies } from "../dependencies.ts";
import { swapPasswordHash } from "./credential.store.ts";

type Needs = Pick<Dependencies, "db" | "now" | "hashing">;
type Renewal = { userId: string; password: string /** The hash it was proved by. */; proved: string };

/**
 * Hashes a password that was proved anew, at today's cost; answers the hash that is in force after it. Where too many wait, that
 * is the old one: the password is right, and the next sign-in does it.
 */
export async function renewHash(
	{ db, now, hashing }: Needs,
	{ userId, password, proved }: Renewal,
): Promise<string> {
	const hash = await hashing.hash(password).catch((error: unknown) => {
		if (error instanceof Failure && error.code === "sign_in_busy") return undefined;
		throw error;
	});
	if (hash === undefined) return proved;
	// In place of the hash that was proved and no other: the person may have got a new password meanwhile.
	await swapPasswordHash(db, { userId, proved, hash, now: now() });
	return hash;
}
