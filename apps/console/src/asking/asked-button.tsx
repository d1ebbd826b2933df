import { Button, type ButtonKind, ConfirmDialog } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { OwnWords } from "../notices/explain.ts";
import { Fault } from "../notices/fault.tsx";
import { useIsThere } from "./use-is-there.ts";

type AskedButton = {
	label: string;
	/** For screen readers, where the label alone does not say what it is about, as in a table. */
	fullLabel?: string;
	kind?: ButtonKind;
	/** The question: its title, what will happen, and the deed in words, never "OK". */
	question: { title: string; text: ReactNode; confirm: string; busyText: string };
	/** Does it. What it throws is said in the dialog, which stays. */
	deed: () => Promise<unknown>;
	/** Called when it is done, also when the page was left; the dialog is closed by then. */
	onDone?: () => unknown;
	/** Where to go on to, before `onDone`, for who has not left the page. */
	goOn?: () => unknown;
	/** The page's words by code. */
	own?: OwnWords;
	className?: string;
};

/** A button for what cannot be undone: it asks first. */
export function AskedButton({
	label,
	fullLabel,
	kind = "plain",
	question,
	deed,
	onDone,
	goOn,
	own,
	className,
}: AskedButton) {
	const isThere = useIsThere();
	const [isAsked, setAsked] = useState(false);
	const attempt = useMutation({
		mutationFn: deed,
		// Of the deed and not of the dialog: it is told even when the page was left meanwhile.
		onSuccess: async () => {
			close();
			if (isThere.current) await goOn?.();
			void onDone?.();
		},
	});
	const close = () => {
		setAsked(false);
		attempt.reset();
	};
	return (
		<>
			<Button kind={kind} aria-label={fullLabel} className={className ?? ""} onClick={() => setAsked(true)}>
				{label}
			</Button>
			{isAsked && (
				<ConfirmDialog
					title={question.title}
					confirm={question.confirm}
					busyText={attempt.isPending ? question.busyText : undefined}
					onConfirm={() => attempt.mutate()}
					onClose={close}
				>
					<div className="grid gap-4">
						<div>{question.text}</div>
						<Fault error={attempt.error} own={own ?? {}} />
					</div>
				</ConfirmDialog>
			)}
		</>
	);
}
