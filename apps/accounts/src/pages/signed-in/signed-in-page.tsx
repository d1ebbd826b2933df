import { getRouteApi } from "@tanstack/react-router";
import type { Settings } from "../../settings.ts";
import { texts } from "../../texts.ts";
import { NoticePage, wayOn } from "../notice-page.tsx";

const route = getRouteApi("/signed-in");

/** After a sign-in that was to lead nowhere else. */
export function SignedInPage({ authUrl }: Settings) {
	const navigate = route.useNavigate();
	const { signedInAs } = route.useRouteContext();

	const signOut = async () => {
		// First this entry of the history, so that "back" does not claim a session that is gone.
		await navigate({ to: "/signed-out", replace: true });
		const back = new URLSearchParams({ post_logout_redirect_uri: `${location.origin}/signed-out` });
		location.assign(`${authUrl}/api/v1/auth/logout?${back}`);
	};
	const words = texts.signedIn;
	return (
		<NoticePage title={words.title} text={words.text(signedInAs)} advice={words.advice} gate="open">
			<button type="button" onClick={signOut} className={wayOn}>
				{words.signOut}
			</button>
		</NoticePage>
	);
}
