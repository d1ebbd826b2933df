import { buttonLook, forgetAllKept } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTexts } from "../../texts/texts.ts";
import { NoticePage } from "../notice-page.tsx";

/** Shown after a sign-out, also of another app. The next person must not see what was typed in this tab. */
export function SignedOutPage() {
	const { title, text, advice, again } = useTexts().signedOut;
	useEffect(forgetAllKept, []);
	return (
		<NoticePage title={title} text={text} advice={advice}>
			<Link to="/login" search={{}} className={buttonLook("plain")}>
				{again}
			</Link>
		</NoticePage>
	);
}
