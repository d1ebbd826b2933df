import { networkOf } from "@lango/chassis";
import type { HashingRequester } from "@lango/passwords";
import { foldEmail } from "../users/email.ts";

/**
 * Whose share of the hashing queue a request uses: the account, the network address, and the tenant that the request names. A request
 * that names no tenant counts for the domain of the e-mail address. All of it is known before the account is looked up, so a
 * refusal does not reveal whether the account exists. A known device has an account share of its own.
 */
export function requesterOf({
	email,
	ip,
	tenantSlug,
	device,
}: {
	email: string;
	ip: string;
	tenantSlug?: string | undefined;
	device?: string | undefined;
}): HashingRequester {
	const account = foldEmail(email);
	const domain = account.slice(account.lastIndexOf("@"));
	return { account: `${account}\n${device ?? ""}`, address: networkOf(ip), tenant: tenantSlug || domain };
}
