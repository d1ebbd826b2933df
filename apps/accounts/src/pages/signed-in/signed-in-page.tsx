import { Button, buttonLook } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate } from "@tanstack/react-router";
import { isPending, meQuery } from "../../session/me.ts";
import { signOut } from "../../session/sign-out.ts";
import { currentExchange, currentTokens } from "../../session/tokens.ts";
import { useSettings } from "../../settings.ts";
import { useTexts } from "../../texts/texts.ts";
import { NoticePage } from "../notice-page.tsx";

const route = getRouteApi("/signed-in");

/** Shown after a sign-in without return_to, unless the person waits for approval or must select an outlet. */
export function SignedInPage() {
	const { authUrl } = useSettings();
	const navigate = route.useNavigate();
	const { signedInAs } = route.useRouteContext();
	const tokens = currentTokens();
	const me = useQuery({ ...meQuery(authUrl), enabled: tokens !== undefined });
	const { signedIn: words } = useTexts();

	if (me.data !== undefined && isPending(me.data)) return <Navigate to="/pending" replace />;
	if (me.data !== undefined && currentExchange() !== undefined)
		return <Navigate to="/$tenant/auth/select-outlet" params={{ tenant: me.data.tenant_slug }} replace />;

	const leave = async () => {
		// Replace the history entry first, so that "back" does not show an ended session.
		await navigate({ to: "/signed-out", replace: true });
		signOut(authUrl);
	};
	return (
		<NoticePage title={words.title} text={words.text(signedInAs)} advice={words.advice} gate="open">
			<Link to="/profile" className={buttonLook("plain")}>
				{words.profile}
			</Link>
			<Button onClick={leave}>{words.signOut}</Button>
		</NoticePage>
	);
}
