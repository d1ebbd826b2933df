import { buttonLook } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { useTexts } from "../../texts/texts.ts";
import { NoticePage } from "../notice-page.tsx";

/** Any address these pages do not have. */
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
