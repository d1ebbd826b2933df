import { Button } from "@lango/interface";
import { explainRefusal } from "../session/explain-refusal.ts";
import { useTexts } from "../texts/texts.ts";
import { NoticePage } from "./notice-page.tsx";

/** Shown if the data of a page cannot be loaded: the reason, and a button to retry. */
export function ErrorPage({ failure, onRetry }: { failure: Error; onRetry: () => unknown }) {
	const texts = useTexts();
	const { message, reference } = explainRefusal(failure, texts);
	return (
		<NoticePage title={texts.broken.title} text={message} {...(reference && { advice: reference })}>
			<Button onClick={() => void onRetry()}>{texts.profile.again}</Button>
		</NoticePage>
	);
}
