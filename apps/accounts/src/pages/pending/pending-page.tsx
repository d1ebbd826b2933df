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

const lookEveryMilliseconds = 15_000;

/** For who waits to be let in: looks every 15 seconds and goes on to the profile by itself (§3). */
export function PendingPage() {
	return <SignedInOnly>{(me) => (isPending(me) ? <Waiting me={me} /> : <LetIn />)}</SignedInOnly>;
}

function Waiting({ me }: { me: Me }) {
	const { authUrl } = useSettings();
	const language = useLanguage();
	const { pending: words, profile } = useTexts();
	const timeZone = useZone(me.tenant_slug);
	const look = useQuery({ ...meQuery(authUrl), refetchInterval: lookEveryMilliseconds });
	const at = formatTime(new Date(look.dataUpdatedAt), { language, timeZone });
	return (
		<NoticePage title={words.title} text={words.text(tenantNameOf(me))} advice={words.advice}>
			<p className="w-full text-quiet" role="status">
				{look.isFetching ? words.looking : look.isError ? words.failed : words.looked(at)}
			</p>
			<Button onClick={() => void look.refetch()}>{words.look}</Button>
			<Button onClick={() => signOut(authUrl)}>{profile.signOut}</Button>
		</NoticePage>
	);
}

/** Roles come with the next token, so that is fetched first. */
function LetIn() {
	const { authUrl } = useSettings();
	const { callback: words } = useTexts();
	const [isReady, setReady] = useState(false);
	useEffect(() => {
		// A refresh that fails is tried again by whatever the profile asks next, which then says why.
		refreshTokens(authUrl).then(
			() => setReady(true),
			() => setReady(true),
		);
	}, [authUrl]);
	if (isReady) return <Navigate to="/profile" replace />;
	return <NoticePage title={words.title} text={words.text} gate="opening" />;
}
