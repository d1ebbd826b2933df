import { Button } from "@lango/interface";
import { PlainPage } from "../../layout/plain-page.tsx";
import { useErrorTexts } from "./texts.ts";

/** Shown if the console cannot start or a page fails. */
export function ErrorPage() {
	const { title, text, advice, reload } = useErrorTexts().broken;
	return (
		<PlainPage title={title} text={text} advice={advice}>
			<Button onClick={() => location.reload()}>{reload}</Button>
		</PlainPage>
	);
}
