import { useOfflineWords } from "@lango/interface";
import { PlainPage } from "../../layout/plain-page.tsx";

/** Shown if the console is opened without a network. */
export function OfflinePage() {
	const { title, text } = useOfflineWords();
	return <PlainPage title={title} text={text} />;
}
