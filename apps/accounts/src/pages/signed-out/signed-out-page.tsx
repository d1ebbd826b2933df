import { Link } from "@tanstack/react-router";
import { texts } from "../../texts.ts";
import { NoticePage, wayOn } from "../notice-page.tsx";

/** Where the sign-on service leads after a sign-out. */
export function SignedOutPage() {
	const { title, text, advice, again } = texts.signedOut;
	return (
		<NoticePage title={title} text={text} advice={advice}>
			<Link to="/login" search={{}} className={wayOn}>
				{again}
			</Link>
		</NoticePage>
	);
}
