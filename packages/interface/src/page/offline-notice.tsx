import { useWords } from "../texts/words.ts";
import { useIsOnline } from "./network.ts";

/** The texts about a missing network. */
export const useOfflineWords = () => useWords().offline;

/** Says that there is no network, over the page. The region always exists, so that it is announced. */
export function OfflineNotice() {
	const isOnline = useIsOnline();
	const offline = useOfflineWords();
	return (
		<div role="status" className="pointer-events-none sticky bottom-0 z-20 print:hidden">
			{!isOnline && (
				<p className="border-t-2 border-warning bg-warning-wash px-4 py-3 text-warning sm:px-6">
					<strong>{offline.title}.</strong> {offline.text}
				</p>
			)}
		</div>
	);
}
