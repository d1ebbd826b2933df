import type { PublicTenant } from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import { ask, post } from "../../session/ask.ts";
import { Refusal } from "../../session/refusal.ts";

export type Credentials = { email: string; password: string; tenantSlug: string };

/**
 * Signs a person in; answers their e-mail address as the service knows it. The session cookie is the whole
 * result: the tokens of the answer are not the page's to keep. Throws a Refusal. A slug of "" leaves the tenant to the
 * service (§5.3).
 */
export async function signIn(authUrl: string, { email, password, tenantSlug }: Credentials): Promise<string> {
	const body = { email, password, tenant_slug: tenantSlug };
	const answer = await post(`${authUrl}/api/v1/auth/login`, body);
	return (answer as { user?: { email?: string } }).user?.email ?? email;
}

/** The tenant a sign-in is for, or null when there is none of that slug. */
export function tenantQuery(authUrl: string, slug: string) {
	return queryOptions({
		queryKey: ["tenant", authUrl, slug],
		queryFn: () => findTenant(authUrl, slug),
		enabled: slug !== "",
		staleTime: 60_000,
		retry: 1,
	});
}

async function findTenant(authUrl: string, slug: string): Promise<PublicTenant | null> {
	try {
		return (await ask(`${authUrl}/api/v1/tenants/by-slug/${encodeURIComponent(slug)}`)) as PublicTenant;
	} catch (error) {
		// 400: a text that cannot be a slug is one nobody has.
		if (error instanceof Refusal && (error.status === 404 || error.status === 400)) return null;
		throw error;
	}
}
