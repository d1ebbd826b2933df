import { listPage } from "@lango/client";
import type { Invitation, JoinRequest, NewInvitation } from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { tenantAddress } from "../../tenant/tenant.queries.ts";

const countMax = 99;

/** What the lists of people are known by in the cache: everything below ["people", slug] is asked for anew after a change. */
export const peopleKey = (slug: string, ...part: readonly string[]) => ["people", slug, ...part];

/** How many wait to be let in, as text: "99+" for more. */
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

/** An invitation as it is answered once: with the link that the invited person is sent. */
export type Invited = Invitation & { url: string };

/** Invites an address; an open invitation of the same address is good no more. */
export function invite(platform: Platform, slug: string, invitation: NewInvitation): Promise<Invited> {
	const address = `${tenantAddress(platform, slug)}/invitations`;
	return platform.client.call<Invited>(address, { method: "POST", body: invitation });
}
