import { useProfile } from "@lango/client/react";
import { buttonLook } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { PlainPage } from "../../layout/plain-page.tsx";
import { useUnauthorizedTexts } from "./texts.ts";

/**
 * Shown instead of a page that the user may not open. The address stays, so the page opens once they may.
 * Also `/unauthorized`.
 */
export function UnauthorizedPage() {
	const words = useUnauthorizedTexts();
	const profile = useProfile();
	return (
		<PlainPage
			title={words.title}
			text={words.text}
			advice={profile === undefined ? words.adviceToAnybody : words.advice(profile.email)}
		>
			<Link to="/" className={buttonLook("plain")}>
				{words.home}
			</Link>
		</PlainPage>
	);
}
