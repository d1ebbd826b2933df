import { useWords } from "../texts/words.ts";
import { ConfirmDialog } from "./dialog.tsx";

type LeaveQuestion = {
	onStay: () => void;
	onLeave: () => void;
};

/** Asks before a page is left with entries that are not saved. */
export function LeaveQuestion({ onStay, onLeave }: LeaveQuestion) {
	const { unsaved } = useWords();
	return (
		<ConfirmDialog
			title={unsaved.leave}
			isDestructive
			confirm={unsaved.leavePage}
			cancel={unsaved.stay}
			onConfirm={onLeave}
			onClose={onStay}
		>
			{unsaved.lost}
		</ConfirmDialog>
	);
}
