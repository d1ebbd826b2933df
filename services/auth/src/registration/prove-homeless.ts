import type { Dependencies } from "../dependencies.ts";
import { findPasswordHash } from "../passwords/credential.store.ts";
import { foldEmail } from "../users/email.ts";
import { findPersonByEmail } from "../users/person.store.ts";

/**
 * The person an address belongs to, if they belong to no tenant any more and the password is theirs. Wrong ones are counted as failed
 * sign-ins are. Throws `too_many_attempts`, `sign_in_busy`.
 */
export async function proveHomeless(
	{ db, hashing, failureCount }: Pick<Dependencies, "db" | "hashing" | "failureCount">,
	{ email, password, ip }: { email: string; password: string; ip: string },
): Promise<string | undefined> {
	const account = foldEmail(email);
	const user = await findPersonByEmail(db, account);
	if (user?.status !== "active" || user.primaryTenantId !== null) return undefined;
	const counted = { account, ip, device: undefined };
	await failureCount.check(counted);
	const { matches } = await hashing.check(password, await findPasswordHash(db, user.id));
	if (!matches) await failureCount.record(counted);
	return matches ? user.id : undefined;
}
