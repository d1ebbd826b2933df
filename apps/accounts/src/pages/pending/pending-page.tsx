import { Button, formatTime, useLanguage } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { isPending, type Me, meQuery, tenantNameOf } from "../../session/me.ts";
import { signOut } from "../../session/sign-out.ts";
import { refreshTokens } from "../../session/tokens.ts";
import { useSettings } from "../../settings.ts";
import { useZone } from "../../tenant/use-zone.ts";
import { useTexts } from "../../texts/texts.ts";
import { NoticePage } from "../notice-page.tsx";
import { SignedInOnly } from "../signed-in-only.tsx";

const pollMilliseconds = 15_000;

/** Polls every 15 seconds while the person waits for approval, then opens the profile (§3). */
export function PendingPage() {
	return <SignedInOnly>{(me) => (isPending(me) ? <Waiting me={me} /> : <Approved />)}</SignedInOnly>;
}

function Waiting({ me }: { me: Me }) {
	const { authUrl } = useSettings();
	const language = useLanguage();
	const { pending: words, profile } = useTexts();
	const timeZone = useZone(me.tenant_slug);
	const poll = useQuery({ ...meQuery(authUrl), refetchInterval: pollMilliseconds });
	const at = formatTime(new Date(poll.dataUpdatedAt), { language, timeZone });
	return (
		<NoticePage title={words.title} text={words.text(tenantNameOf(me))} advice={words.advice}>
			<p className="w-full text-quiet" role="status">
				{poll.isFetching ? words.checking : poll.isError ? words.failed : words.checkedAt(at)}
			</p>
			<Button onClick={() => void poll.refetch()}>{words.check}</Button>
			<Button onClick={() => signOut(authUrl)}>{profile.signOut}</Button>
		</NoticePage>
	);
}

/** The next token has the roles, so it is fetched before the profile opens. */
function Approved() {
	const { authUrl } = useSettings();
	const { opening: words } = useTexts();
	const [isReady, setReady] = useState(false);
	useEffect(() => {
		// After a failed refresh the next request of the profile refreshes again and shows the error.
		refreshTokens(authUrl).then(
			() => setReady(true),
			() => setReady(true),
		);
	}, [authUrl]);
	if (isReady) return <Navigate to="/profile" replace />;
	return <NoticePage title={words.title} text={words.text} gate="opening" />;
}
