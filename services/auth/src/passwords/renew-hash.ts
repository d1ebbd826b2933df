import { Failure } from "@lango/chassis";
import type { Hashing } from "@lango/passwords";
import type { Dependencies } from "../dependencies.ts";
import { swapPasswordHash } from "./credential.store.ts";

type Needs = Pick<Dependencies, "db" | "now"> & { hashing: Hashing };
type Renewal = {
	userId: string;
	password: string;
	/** The hash that the password was checked against. */
	proved: string;
};

/**
 * Hashes a correct password again with the current cost, and returns the hash that is valid afterwards. If
 * the hashing queue has no room, the old hash stays valid and the next sign-in tries again.
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
	// Replaces only the hash that was checked: the person may have a new password by now.
	await swapPasswordHash(db, { userId, proved, hash, now: now() });
	return hash;
}
