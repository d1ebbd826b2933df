import { Link } from "@tanstack/react-router";
import { texts } from "../../texts.ts";
import { NoticePage, wayOn } from "../notice-page.tsx";

/** Any address these pages do not have. */
export function UnknownPage() {
	const { title, text, advice, signIn } = texts.unknownPage;
	return (
		<NoticePage title={title} text={text} advice={advice}>
			<Link to="/login" search={{}} className={wayOn}>
				{signIn}
			</Link>
		</NoticePage>
	);
}
