import { dropTokens } from "./tokens.ts";

/** Signs the whole browser out, through the sign-on service and back to the page that says so. */
export function signOut(authUrl: string): void {
	dropTokens();
	const back = new URLSearchParams({ post_logout_redirect_uri: `${location.origin}/signed-out` });
	location.assign(`${authUrl}/api/v1/auth/logout?${back}`);
}
