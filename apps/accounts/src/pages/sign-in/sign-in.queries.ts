import { post } from "../../session/request.ts";
import { announceSignIn } from "../../session/sign-in-elsewhere.ts";
import { readResponse, setTokens } from "../../session/tokens.ts";

export type Credentials = { email: string; password: string; tenantSlug: string };

/**
 * Signs a person in and returns their e-mail address as stored by the service. The browser stores the
 * session cookie; the tokens are in memory. With an empty slug the service decides the tenant (§5.3).
 * Throws ClientError.
 */
export async function signIn(authUrl: string, { email, password, tenantSlug }: Credentials): Promise<string> {
	const body = { email, password, tenant_slug: tenantSlug };
	const response = await post(`${authUrl}/api/v1/auth/login`, body);
	setTokens(readResponse(response));
	announceSignIn();
	return (response as { user?: { email?: string } }).user?.email ?? email;
}
