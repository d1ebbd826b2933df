import { buttonLook } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { useTexts } from "../../texts/texts.ts";
import { NoticePage } from "../notice-page.tsx";

/** Shown for an unknown address. */
export function UnknownPage() {
	const { title, text, advice, signIn } = useTexts().unknownPage;
	return (
		<NoticePage title={title} text={text} advice={advice}>
			<Link to="/login" search={{}} className={buttonLook("plain")}>
				{signIn}
			</Link>
		</NoticePage>
	);
}
