import { useEffect } from "react";
import { PlainPage } from "../layout/plain-page.tsx";
import { useGateTexts } from "./texts.ts";

/** The end of a sign-in in a window of its own (ExpiredDialog): the window closes itself if it may. */
export function SignedInAgainPage() {
	const { again } = useGateTexts();
	useEffect(() => window.close(), []);
	return <PlainPage title={again.title} text={again.text} />;
}
