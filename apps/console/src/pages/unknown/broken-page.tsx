import { Button } from "@lango/interface";
import { PlainPage } from "../../frame/plain-page.tsx";
import { useUnknownTexts } from "./texts.ts";

/** When the console cannot start, or one of its pages fails: never a blank screen. */
export function BrokenPage() {
	const { title, text, advice, reload } = useUnknownTexts().broken;
	return (
		<PlainPage title={title} text={text} advice={advice}>
			<Button onClick={() => location.reload()}>{reload}</Button>
		</PlainPage>
	);
}
