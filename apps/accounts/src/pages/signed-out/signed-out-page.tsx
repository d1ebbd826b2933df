import { buttonLook } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { useTexts } from "../../texts/texts.ts";
import { NoticePage } from "../notice-page.tsx";

/** Shown after a sign-out. */
export function SignedOutPage() {
	const { title, text, advice, again } = useTexts().signedOut;
	return (
		<NoticePage title={title} text={text} advice={advice}>
			<Link to="/login" search={{}} className={buttonLook("plain")}>
				{again}
			</Link>
		</NoticePage>
	);
}
