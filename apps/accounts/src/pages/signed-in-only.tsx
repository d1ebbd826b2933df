import { ClientError } from "@lango/client";
import { keepEntriesFor } from "@lango/interface";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Navigate, useRouter } from "@tanstack/react-router";
import { Fragment, type ReactNode, useEffect, useState } from "react";
import { type Me, meQuery } from "../session/me.ts";
import { continueSession, currentTokens, dropTokens, mayHaveEnded } from "../session/tokens.ts";
import { useAccountLook } from "../session/use-account-look.ts";
import { useSettings } from "../settings.ts";
import { useTexts } from "../texts/texts.ts";
import { ErrorPage } from "./error-page.tsx";
import { ExpiredDialog } from "./expired-dialog.tsx";
import { NoticePage } from "./notice-page.tsx";

/** The answer of auth/me that came with the session is not asked for again at once. */
const freshMilliseconds = 1_000;

/**
 * A page that needs a session. It continues that of the browser; without one, the sign-in leads back to the
 * page. If the session ends while the page is shown, the page stays, with all that was entered.
 */
export function SignedInOnly({ children }: { children: (me: Me) => ReactNode }) {
	const found = useSession();
	const { session, me, hasTokens, hasEnded } = found;
	const [shown, show] = useState<Me>();
	const current = hasTokens && !hasEnded ? me.data : undefined;
	if (current !== undefined && current !== shown) {
		keepEntriesFor(current.user_id);
		show(current);
	}
	if (shown === undefined) return <Opening {...found} />;
	return (
		<Fragment key={shown.user_id}>
			{children(shown)}
			{!hasTokens && !session.isFetching && <ExpiredDialog onSignedIn={() => session.refetch()} />}
		</Fragment>
	);
}

/** Before there is a session and a person: that it opens, why it does not, or the sign-in. */
function Opening({ session, me, hasTokens, hasEnded }: ReturnType<typeof useSession>) {
	const { opening } = useTexts();
	if (hasTokens && me.error !== null && !hasEnded)
		return <ErrorPage failure={me.error} onRetry={() => me.refetch()} />;
	if (!hasTokens && !session.isFetching) {
		if (session.error !== null)
			return <ErrorPage failure={session.error} onRetry={() => session.refetch()} />;
		if (session.data === false) return <ToSignIn />;
	}
	return <NoticePage title={opening.title} text={opening.text} gate="opening" />;
}

/** Leads to the sign-in, which leads back. */
function ToSignIn() {
	// The address of this page: it must not follow its own redirect.
	const { state } = useRouter();
	const [{ pathname, searchStr, hash, state: entry }] = useState(state.location);
	return (
		<Navigate
			to="/login"
			search={{ return_to: pathname + searchStr }}
			hash={hash}
			state={{ emailHint: entry.emailHint }}
			replace
		/>
	);
}

/** The session of this browser, continued if this page has none yet, and the person. */
function useSession() {
	const { authUrl } = useSettings();
	const queries = useQueryClient();
	const hasTokens = currentTokens() !== undefined;
	const session = useQuery({
		queryKey: ["session", authUrl],
		queryFn: async () => {
			const continued = await continueSession(authUrl);
			if (continued?.me !== undefined) queries.setQueryData(meQuery(authUrl).queryKey, continued.me as Me);
			return continued !== undefined;
		},
		enabled: !hasTokens,
		gcTime: 0,
		retry: false,
	});
	const me = useQuery({ ...meQuery(authUrl), enabled: hasTokens, staleTime: freshMilliseconds });
	const hasEnded = me.error instanceof ClientError && isSessionOver(me.error);
	useContinuation(hasEnded && hasTokens);
	useAccountLook(authUrl, hasTokens && !hasEnded ? me.data : undefined);
	return { session, me, hasTokens, hasEnded };
}

/** A 401 of auth/me is not refreshed (§5.13): after the grace period it ends the session. */
function isSessionOver({ code, status }: ClientError): boolean {
	return code === "session_ended" || (status === 401 && mayHaveEnded());
}

/** After the end of a session, continues with another one of the browser. */
function useContinuation(hasEnded: boolean): void {
	const { authUrl } = useSettings();
	const queries = useQueryClient();
	useEffect(() => {
		if (!hasEnded) return;
		dropTokens();
		queries.removeQueries({ queryKey: ["session", authUrl] });
		void queries.resetQueries({ queryKey: meQuery(authUrl).queryKey });
	}, [hasEnded, queries, authUrl]);
}
