import { Button, Dialog } from "@lango/interface";
import { useEffect, useEffectEvent, useRef } from "react";
import { onSignInElsewhere } from "../session/sign-in-elsewhere.ts";
import { useTexts } from "../texts/texts.ts";

/** The size of a window for the sign-in page, in pixels. */
const popup = "popup,width=520,height=780";

/**
 * Shown over a page whose session has ended. The sign-in is in a window of its own, so that the page keeps
 * what was entered; the page continues as soon as the person is signed in.
 */
export function ExpiredDialog({ onSignedIn }: { onSignedIn: () => unknown }) {
	const { expired, signIn } = useTexts();
	const opened = useRef<Window | null>(null);
	const resume = useEffectEvent(() => void onSignedIn());
	useEffect(() => {
		const stop = onSignInElsewhere(() => resume());
		return () => {
			stop();
			opened.current?.close();
		};
	}, []);
	const open = () => {
		opened.current = window.open("/login", "_blank", popup);
	};
	const actions = (
		<Button kind="action" onClick={open}>
			{signIn.submit}
		</Button>
	);
	return (
		<Dialog title={expired.title} isBusy onClose={() => {}} actions={actions}>
			{expired.text}
		</Dialog>
	);
}
