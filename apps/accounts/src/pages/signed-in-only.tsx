import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { leaveToSignIn } from "../session/code-flow.ts";
import { type Me, meQuery } from "../session/me.ts";
import { Refusal } from "../session/refusal.ts";
import { dropTokens, heldTokens, mayBeOver } from "../session/tokens.ts";
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
	const isOver = me.error instanceof Refusal && meansOver(me.error);
	const mustLeave = !isHeld || isOver;
	const leaving = useLeaving(mustLeave, to);

	if (leaving.fault !== undefined) return <FaultPage fault={leaving.fault} onAgain={leaving.again} />;
	if (me.data !== undefined && !mustLeave) return children(me.data);
	if (me.error !== null && !mustLeave) return <FaultPage fault={me.error} onAgain={() => me.refetch()} />;
	return <NoticePage title={callback.title} text={callback.text} gate="opening" />;
}

/** A 401 of auth/me is not refreshed (§5.13): once the session has begun, the sign-on service says whether it goes on. */
function meansOver({ code, status }: Refusal): boolean {
	return code === "session_ended" || (status === 401 && mayBeOver());
}

/**
 * Leaves for the sign-on service, and says why when that fails. Back from there a browser shows the page as it was left, still leaving:
 * so it leaves again.
 */
function useLeaving(mustLeave: boolean, to: string): { fault: Error | undefined; again: () => void } {
	const { authUrl } = useSettings();
	const [fault, setFault] = useState<Error>();
	const leave = useCallback(() => {
		setFault(undefined);
		dropTokens();
		leaveToSignIn(authUrl, { to }).catch((error: unknown) =>
			setFault(error instanceof Error ? error : new Error(String(error))),
		);
	}, [authUrl, to]);
	useEffect(() => {
		if (!mustLeave) return;
		leave();
		const back = (event: PageTransitionEvent) => event.persisted && leave();
		addEventListener("pageshow", back);
		return () => removeEventListener("pageshow", back);
	}, [mustLeave, leave]);
	return { fault: mustLeave ? fault : undefined, again: leave };
}
