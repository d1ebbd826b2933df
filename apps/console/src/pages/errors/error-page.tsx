import { Button } from "@lango/interface";
import { PlainPage } from "../../layout/plain-page.tsx";
import { useErrorTexts } from "./texts.ts";

/** When the console cannot start, or one of its pages fails: never a blank screen. */
export function ErrorPage() {
	const { title, text, advice, reload } = useErrorTexts().broken;
	return (
		<PlainPage title={title} text={text} advice={advice}>
			<Button onClick={() => location.reload()}>{reload}</Button>
		</PlainPage>
	);
}
