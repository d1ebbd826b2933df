import { forgetAllKept } from "@lango/interface";
import { dropTokens } from "./tokens.ts";

/** Signs the browser out at the sign-on service, which redirects to /signed-out. */
export function signOut(authUrl: string): void {
	dropTokens();
	forgetAllKept();
	const back = new URLSearchParams({ post_logout_redirect_uri: `${location.origin}/signed-out` });
	location.assign(`${authUrl}/api/v1/auth/logout?${back}`);
}
