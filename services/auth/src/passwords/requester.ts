import { networkOf } from "@lango/chassis";
import type { HashingRequester } from "@lango/passwords";
import { foldEmail } from "../users/email.ts";

/**
 * The share of the hashing queue that a request uses: the account, the network address, and the tenant that
 * the request names. A request that names no tenant counts for none. All of it is known before the account
 * is looked up, so a refusal does not reveal whether the account exists. A known device (or session) has an
 * account share of its own, and counts for no tenant: strangers can use up neither.
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
	const tenant = device === undefined && tenantSlug !== "" ? tenantSlug : undefined;
	return { account: `${account}\n${device ?? ""}`, address: networkOf(ip), tenant };
}
