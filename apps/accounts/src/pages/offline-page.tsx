import { useOfflineWords } from "@lango/interface";
import { NoticePage } from "./notice-page.tsx";

/** Shown if the pages are opened without a network. */
export function OfflinePage() {
	const { title, text } = useOfflineWords();
	return <NoticePage title={title} text={text} />;
}
