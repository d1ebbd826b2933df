import { post } from "../../session/ask.ts";
import { holdTokens } from "../../session/tokens.ts";

export type Credentials = { email: string; password: string; tenantSlug: string };

/**
 * Signs a person in; answers their e-mail address as the service knows it. The session cookie goes to the browser; the tokens
 * are held in memory for these pages. Throws a Refusal. A slug of "" leaves the tenant to the service (§5.3).
 */
export async function signIn(authUrl: string, { email, password, tenantSlug }: Credentials): Promise<string> {
	const body = { email, password, tenant_slug: tenantSlug };
	const answer = await post(`${authUrl}/api/v1/auth/login`, body);
	holdTokens(answer);
	return (answer as { user?: { email?: string } }).user?.email ?? email;
}
