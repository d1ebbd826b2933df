import { ClientError } from "@lango/client";
import { queryOptions } from "@tanstack/react-query";
import { requestSignedIn } from "./request-signed-in.ts";

/** The signed-in person, from `GET /api/v1/auth/me` (§4.1). */
export type Me = {
	user_id: string;
	email: string;
	email_verified: boolean;
	name: string;
	/** The status in the tenant of this session: active, pending, pending_review. */
	status: string;
	tenant_id: string;
	tenant_slug: string;
	outlet_id: string;
	is_hq_user: boolean;
	memberships: { tenant_id: string; slug: string; name: string; roles: string[]; status: string }[];
	profile: { selected_plan: string | null; locale: string | null; theme: string | null };
};

/** Requests the sign-on service's auth/me, never a service's (§5.14). */
export function meQuery(authUrl: string) {
	return queryOptions({
		queryKey: ["me", authUrl],
		queryFn: async () => (await requestSignedIn(authUrl, "/api/v1/auth/me")) as Me,
		retry: mayRetry,
	});
}

/** Whether auth/me is retried (§5.14): not after a 401 or 403, once after another failure. */
export function mayRetry(failuresBefore: number, error: Error): boolean {
	if (error instanceof ClientError && (error.status === 401 || error.status === 403)) return false;
	return failuresBefore + 1 < 2;
}

/** Whether the person waits for approval (§3). */
export function isPending({ status }: Pick<Me, "status">): boolean {
	return status === "pending" || status === "pending_review";
}

/** The name of the tenant of the session; its slug if the person is no longer a member. */
export function tenantNameOf({ memberships, tenant_id, tenant_slug }: Me): string {
	return memberships.find((membership) => membership.tenant_id === tenant_id)?.name ?? tenant_slug;
}
