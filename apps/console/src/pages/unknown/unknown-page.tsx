import { buttonLook } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { PlainPage } from "../../frame/plain-page.tsx";
import { useUnknownTexts } from "./texts.ts";

/** Any address the console does not have. */
export function UnknownPage() {
	const { unknown: words } = useUnknownTexts();
	return (
		<PlainPage title={words.title} text={words.text}>
			<Link to="/" className={buttonLook("plain")}>
				{words.home}
			</Link>
		</PlainPage>
	);
}
