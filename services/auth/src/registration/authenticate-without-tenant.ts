import type { Hashing } from "@lango/passwords";
import type { Dependencies } from "../dependencies.ts";
import { findPasswordHash } from "../passwords/credential.store.ts";
import { requesterOf } from "../passwords/requester.ts";
import { foldEmail } from "../users/email.ts";
import { findPersonByEmail } from "../users/person.store.ts";

/**
 * The user of an address, if they have no membership and the password is correct. The password is always
 * checked, if necessary against a decoy, so that the response time does not reveal whether the user exists.
 * Wrong passwords count as failed sign-ins. Throws `too_many_attempts`, `too_many_sign_ins`,
 * `sign_in_busy`.
 */
export async function authenticateWithoutTenant(
	{ db, hashing, failureCount }: Pick<Dependencies, "db" | "hashing" | "failureCount">,
	{
		email,
		password,
		ip,
		tenantSlug,
	}: { email: string; password: string; ip: string; tenantSlug: string | undefined },
): Promise<string | undefined> {
	const account = foldEmail(email);
	const prove = async (share: Hashing) => {
		const user = await findPersonByEmail(db, account);
		const { matches } = await share.check(password, user && (await findPasswordHash(db, user.id)));
		return matches ? user : undefined;
	};
	const proved = await failureCount.attempt({ account, ip, device: undefined }, () =>
		hashing.withShare(requesterOf({ email, ip, tenantSlug }), prove),
	);
	return proved?.status === "active" && proved.primaryTenantId === null ? proved.id : undefined;
}
