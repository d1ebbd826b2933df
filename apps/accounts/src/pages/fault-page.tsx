import { Button } from "@lango/interface";
import { explainRefusal } from "../session/explain-refusal.ts";
import { useTexts } from "../texts/texts.ts";
import { NoticePage } from "./notice-page.tsx";

/** When what a page needs was refused or did not come: why, and again. */
export function FaultPage({ fault, onAgain }: { fault: Error; onAgain: () => unknown }) {
	const texts = useTexts();
	const { message, reference } = explainRefusal(fault, texts);
	return (
		<NoticePage title={texts.broken.title} text={message} {...(reference && { advice: reference })}>
			<Button onClick={() => void onAgain()}>{texts.profile.again}</Button>
		</NoticePage>
	);
}
