import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { leaveToSignIn } from "../session/code-flow.ts";
import { type Me, meQuery } from "../session/me.ts";
import { Refusal } from "../session/refusal.ts";
import { dropTokens, heldTokens } from "../session/tokens.ts";
import { useSettings } from "../settings.ts";
import { useTexts } from "../texts/texts.ts";
import { FaultPage } from "./fault-page.tsx";
import { NoticePage } from "./notice-page.tsx";

/** A page for who is signed in. Anybody else is sent to the sign-on service and comes back to the same page. */
export function SignedInOnly({ children }: { children: (me: Me) => ReactNode }) {
	const { authUrl } = useSettings();
	const { callback } = useTexts();
	const to = useLocation({ select: ({ pathname }) => pathname });
	const isHeld = heldTokens() !== undefined;
	const me = useQuery({ ...meQuery(authUrl), enabled: isHeld });
	const isOver = me.error instanceof Refusal && me.error.code === "session_ended";
	const mustLeave = !isHeld || isOver;

	useEffect(() => {
		if (!mustLeave) return;
		dropTokens();
		leaveToSignIn(authUrl, { to }).catch(reportError);
	}, [mustLeave, authUrl, to]);

	if (me.data !== undefined && !mustLeave) return children(me.data);
	if (me.error !== null && !mustLeave) return <FaultPage fault={me.error} onAgain={() => me.refetch()} />;
	return <NoticePage title={callback.title} text={callback.text} gate="opening" />;
}
