import { hasUnsaved, LeaveQuestion, useHasUnsaved } from "@lango/interface";
import { type ShouldBlockFn, useBlocker } from "@tanstack/react-router";

/** Another address of the same page, such as another filter, keeps what was entered. */
const isLeaving: ShouldBlockFn = ({ current, next }) => hasUnsaved() && current.pathname !== next.pathname;

/**
 * Asks before a page with entries that are not saved is left: by a link, by "back", and by the browser's own
 * question before a reload and before the tab is closed.
 */
export function LeaveGuard() {
	const isUnsaved = useHasUnsaved();
	const blocker = useBlocker({
		shouldBlockFn: isLeaving,
		enableBeforeUnload: hasUnsaved,
		disabled: !isUnsaved,
		withResolver: true,
	});
	if (blocker.status !== "blocked") return null;
	return <LeaveQuestion onStay={blocker.reset} onLeave={blocker.proceed} />;
}
