import { buttonLook } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { PlainPage } from "../../layout/plain-page.tsx";
import { useErrorTexts } from "./texts.ts";

/** Shown for an unknown address. */
export function NotFoundPage() {
	const { unknown: words } = useErrorTexts();
	return (
		<PlainPage title={words.title} text={words.text}>
			<Link to="/" className={buttonLook("plain")}>
				{words.home}
			</Link>
		</PlainPage>
	);
}
