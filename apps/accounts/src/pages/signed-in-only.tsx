import { ClientError } from "@lango/client";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { redirectToSignIn } from "../session/code-flow.ts";
import { type Me, meQuery } from "../session/me.ts";
import { currentTokens, dropTokens, mayHaveEnded } from "../session/tokens.ts";
import { useSettings } from "../settings.ts";
import { useTexts } from "../texts/texts.ts";
import { ErrorPage } from "./error-page.tsx";
import { NoticePage } from "./notice-page.tsx";

/** A page that needs a session. Without one, redirects to the sign-on service and back to the page. */
export function SignedInOnly({ children }: { children: (me: Me) => ReactNode }) {
	const { authUrl } = useSettings();
	const { callback } = useTexts();
	const to = useLocation({ select: ({ pathname }) => pathname });
	const hasTokens = currentTokens() !== undefined;
	const me = useQuery({ ...meQuery(authUrl), enabled: hasTokens });
	const hasEnded = me.error instanceof ClientError && isSessionOver(me.error);
	const mustSignIn = !hasTokens || hasEnded;
	const redirect = useRedirect(mustSignIn, to);

	if (redirect.failure !== undefined)
		return <ErrorPage failure={redirect.failure} onRetry={redirect.retry} />;
	if (me.data !== undefined && !mustSignIn) return children(me.data);
	if (me.error !== null && !mustSignIn) return <ErrorPage failure={me.error} onRetry={() => me.refetch()} />;
	return <NoticePage title={callback.title} text={callback.text} gate="opening" />;
}

/** A 401 of auth/me is not refreshed (§5.13): after the grace period it ends the session. */
function isSessionOver({ code, status }: ClientError): boolean {
	return code === "session_ended" || (status === 401 && mayHaveEnded());
}

/**
 * Redirects to the sign-on service and returns the error if that fails. Redirects again if the browser
 * restores the page from its cache.
 */
function useRedirect(mustSignIn: boolean, to: string): { failure: Error | undefined; retry: () => void } {
	const { authUrl } = useSettings();
	const [failure, setFailure] = useState<Error>();
	const start = useCallback(() => {
		setFailure(undefined);
		dropTokens();
		redirectToSignIn(authUrl, { to }).catch((error: unknown) =>
			setFailure(error instanceof Error ? error : new Error(String(error))),
		);
	}, [authUrl, to]);
	useEffect(() => {
		if (!mustSignIn) return;
		start();
		const onPageShow = (event: PageTransitionEvent) => event.persisted && start();
		addEventListener("pageshow", onPageShow);
		return () => removeEventListener("pageshow", onPageShow);
	}, [mustSignIn, start]);
	return { failure: mustSignIn ? failure : undefined, retry: start };
}
