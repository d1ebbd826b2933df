import { Button } from "@lango/interface";
import { useTexts } from "../../texts/texts.ts";
import { NoticePage } from "../notice-page.tsx";

/** Shown if the pages cannot start or a page fails, instead of a blank screen. */
export function BrokenPage() {
	const { title, text, advice, reload } = useTexts().broken;
	return (
		<NoticePage title={title} text={text} advice={advice}>
			<Button onClick={() => location.reload()}>{reload}</Button>
		</NoticePage>
	);
}
