import { queryOptions } from "@tanstack/react-query";
import { askSignedIn } from "./ask-signed-in.ts";
import { Refusal } from "./refusal.ts";

/** Who is signed in, as `GET /api/v1/auth/me` tells (§4.1). */
export type Me = {
	user_id: string;
	email: string;
	email_verified: boolean;
	name: string;
	/** Status in the tenant of this session: active, pending, pending_review. */
	status: string;
	tenant_id: string;
	tenant_slug: string;
	outlet_id: string;
	is_hq_user: boolean;
	memberships: { tenant_id: string; slug: string; name: string; roles: string[]; status: string }[];
	profile: { selected_plan: string | null };
};

/** Asks who is signed in; never a service's own auth/me (§5.14). */
export function meQuery(authUrl: string) {
	return queryOptions({
		queryKey: ["me", authUrl],
		queryFn: async () => (await askSignedIn(authUrl, "/api/v1/auth/me")) as Me,
		retry: mayRetry,
	});
}

/** The profile's rule (§5.14): a refusal stands, anything else is tried again while it failed fewer than two times, this one included. */
export function mayRetry(failuresBefore: number, error: Error): boolean {
	if (error instanceof Refusal && (error.status === 401 || error.status === 403)) return false;
	return failuresBefore + 1 < 2;
}

/** Whether somebody waits to be let in (§3). */
export function isPending({ status }: Pick<Me, "status">): boolean {
	return status === "pending" || status === "pending_review";
}

/** The name of the tenant a session is in; its slug when it is none of the person's any more. */
export function tenantNameOf({ memberships, tenant_id, tenant_slug }: Me): string {
	return memberships.find((membership) => membership.tenant_id === tenant_id)?.name ?? tenant_slug;
}
