import { Failure } from "@lango/chassis";
import type { HashingRequester } from "@lango/passwords";
import type { Dependencies } from "../dependencies.ts";
import { swapPasswordHash } from "./credential.store.ts";

const withoutRoom: ReadonlySet<string> = new Set(["sign_in_busy", "too_many_sign_ins"]);

type Needs = Pick<Dependencies, "db" | "now" | "hashing">;
type Renewal = {
	userId: string;
	password: string;
	/** The hash that the password was checked against. */
	proved: string;
	requester?: HashingRequester;
};

/**
 * Hashes a correct password again with the current cost, and returns the hash that is valid afterwards. If the hashing queue has no
 * room, the old hash stays valid and the next sign-in tries again.
 */
export async function renewHash(
	{ db, now, hashing }: Needs,
	{ userId, password, proved, requester }: Renewal,
): Promise<string> {
	const hash = await hashing.hash(password, requester).catch((error: unknown) => {
		if (error instanceof Failure && withoutRoom.has(error.code)) return undefined;
		throw error;
	});
	if (hash === undefined) return proved;
	// In place of the hash that was proved and no other: the person may have got a new password meanwhile.
	await swapPasswordHash(db, { userId, proved, hash, now: now() });
	return hash;
}
