import type { ClientError } from "@lango/client";
import { useClient } from "@lango/client/react";
import { Button } from "@lango/interface";
import { PlainPage } from "../../layout/plain-page.tsx";
import { useExplain } from "../../notices/explain.ts";
import { useTexts } from "../../texts/texts.ts";
import { useErrorTexts } from "./texts.ts";

type SignInFailedPage = {
	error: ClientError;
	tenant?: string | undefined;
	/** The authorization code in the address is used up: a retry starts at the tenant's first page. */
	isAtCallback?: boolean;
};

/**
 * Shown if a sign-in failed: the reason, and buttons to retry or to sign in again. Nothing is retried
 * automatically, so there are no loops.
 */
export function SignInFailedPage({ error, tenant, isAtCallback = false }: SignInFailedPage) {
	const client = useClient();
	const { failed: words } = useErrorTexts();
	const { again, signOut } = useTexts();
	const explain = useExplain({
		sync_timed_out: words.syncTimedOut,
		state_unknown: words.stale,
		state_mismatch: words.stale,
		issuer_mismatch: words.refused,
		code_missing: words.refused,
		access_denied: words.denied,
		invalid_grant: words.stale,
	});
	const { text, reference } = explain(error);
	const signIn = () => {
		const returnTo = isAtCallback ? { returnTo: tenant === undefined ? "/" : `/${tenant}` } : {};
		client.signIn({ ...(tenant !== undefined && { tenant }), ...returnTo }).catch(reportError);
	};
	return (
		<PlainPage title={words.title} text={text} advice={reference}>
			{!isAtCallback && (
				<Button kind="action" onClick={() => void client.retry()}>
					{again}
				</Button>
			)}
			<Button kind={isAtCallback ? "action" : "plain"} onClick={signIn}>
				{words.signIn}
			</Button>
			<Button onClick={() => void client.signOut()}>{signOut}</Button>
		</PlainPage>
	);
}
