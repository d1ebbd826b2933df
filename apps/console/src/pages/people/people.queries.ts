import { listPage } from "@lango/client";
import type { Invitation, JoinRequest, NewInvitation } from "@lango/contracts";
import { currentLanguage } from "@lango/interface";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { tenantAddress } from "../../tenant/tenant.queries.ts";

const countMax = 99;

/** The cache key of the lists of people. All of ["people", slug] is reloaded after a change. */
export const peopleKey = (slug: string, ...part: readonly string[]) => ["people", slug, ...part];

/** The number of join requests as text; "99+" if there are more. */
export function waitingQuery(platform: Platform, slug: string) {
	return queryOptions({
		queryKey: peopleKey(slug, "waiting count"),
		queryFn: async ({ signal }) => {
			const address = `${tenantAddress(platform, slug)}/join-requests`;
			const query = { limit: countMax };
			const page = await listPage<JoinRequest>(platform.client, address, { query, signal });
			return page.next_cursor === null ? `${page.items.length}` : `${countMax}+`;
		},
	});
}

/** A new invitation. Only this response has the link for the invited person. */
export type Invited = Invitation & { url: string };

/**
 * Invites an address. An open invitation of the same address becomes invalid. The mail is in the language of
 * the page.
 */
export function invite(platform: Platform, slug: string, invitation: NewInvitation): Promise<Invited> {
	const address = `${tenantAddress(platform, slug)}/invitations`;
	const headers = { "accept-language": currentLanguage() };
	return platform.client.call<Invited>(address, { method: "POST", body: invitation, headers });
}
