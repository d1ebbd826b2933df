import { buttonLook } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { useTexts } from "../../texts/texts.ts";
import { NoticePage } from "../notice-page.tsx";

/** Shown for an invitation that is used, expired or withdrawn. */
export function BadInvitation() {
	const { badLink, invitation: words, signIn } = useTexts();
	return (
		<NoticePage title={badLink.title} text={badLink.text} advice={words.badAdvice}>
			<Link to="/login" search={{}} className={buttonLook("plain")}>
				{signIn.submit}
			</Link>
		</NoticePage>
	);
}
