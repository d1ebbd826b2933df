import { ClientError } from "@lango/client";
import { buttonLook } from "@lango/interface";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { completeSignIn } from "../../session/code-flow.ts";
import { explainRefusal } from "../../session/explain-refusal.ts";
import { meQuery } from "../../session/me.ts";
import { currentExchange } from "../../session/tokens.ts";
import { useSettings } from "../../settings.ts";
import { useTexts } from "../../texts/texts.ts";
import { NoticePage } from "../notice-page.tsx";

/** The callback of the sign-on service, with a code or an error (§5.1). */
export function CallbackPage() {
	const { authUrl } = useSettings();
	const navigate = useNavigate();
	const { history } = useRouter();
	const queries = useQueryClient();
	const [failure, setFailure] = useState<Error>();
	const hasStarted = useRef(false);
	const { callback: words } = useTexts();

	useEffect(() => {
		if (hasStarted.current) return;
		hasStarted.current = true;
		const address = location.href;
		// Remove the code from the address and the history.
		history.replace(location.pathname);
		const complete = async () => {
			const { to, invitation } = await completeSignIn(authUrl, address);
			queries.removeQueries({ queryKey: meQuery(authUrl).queryKey });
			if (currentExchange() !== undefined && to === "/profile") {
				const { tenant_slug: tenant } = await queries.fetchQuery(meQuery(authUrl));
				await navigate({ to: "/$tenant/auth/select-outlet", params: { tenant }, replace: true });
			} else history.replace(to, invitation === undefined ? {} : { invitation });
		};
		complete().catch((error: unknown) =>
			setFailure(error instanceof Error ? error : new Error(String(error))),
		);
	}, [authUrl, navigate, history, queries]);

	if (failure === undefined) return <NoticePage title={words.title} text={words.text} gate="opening" />;
	return <FailedPage failure={failure} />;
}

function FailedPage({ failure }: { failure: Error }) {
	const texts = useTexts();
	const { failedTitle, failed, denied, advice, again } = texts.callback;
	const why = isCallbackError(failure) ? (failure.code === "access_denied" ? denied : failed) : undefined;
	const { message, reference } = explainRefusal(failure, texts);
	return (
		<NoticePage title={failedTitle} text={why ?? message} advice={why ? advice : (reference ?? advice)}>
			<Link to="/login" search={{}} className={buttonLook("plain")}>
				{again}
			</Link>
		</NoticePage>
	);
}

/** Whether the callback itself was refused: another state or issuer, or an error of the sign-on service. */
const isCallbackError = (failure: Error): failure is ClientError =>
	failure instanceof ClientError &&
	failure.status === undefined &&
	failure.code !== "unreachable" &&
	failure.code !== "late";
