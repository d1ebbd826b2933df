import { Button, type ButtonKind, ConfirmDialog } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ErrorNotice } from "../notices/error-notice.tsx";
import type { ErrorMessages } from "../notices/explain.ts";
import { useIsMounted } from "./use-is-mounted.ts";

type ConfirmButton = {
	label: string;
	/** For screen readers, if the label alone is ambiguous, for example in a table. */
	ariaLabel?: string;
	kind?: ButtonKind;
	/** The confirmation: its title, the consequences, and the name of the action, never "OK". */
	dialog: { title: string; text: ReactNode; confirm: string; busyText: string };
	/** Performs it. An error is shown in the dialog, which stays open. */
	action: () => Promise<unknown>;
	/** Called after success, also if the user has left the page. The dialog is already closed. */
	onDone?: () => unknown;
	/** Called before `onDone` if the user is still on the page. Opens another page. */
	redirect?: () => unknown;
	/** The page's messages by error code. */
	messages?: ErrorMessages;
	className?: string;
};

/** A button that asks for confirmation. Used for actions that cannot be undone. */
export function ConfirmButton({
	label,
	ariaLabel,
	kind = "plain",
	dialog,
	action,
	onDone,
	redirect,
	messages,
	className,
}: ConfirmButton) {
	const isMounted = useIsMounted();
	const [isOpen, setOpen] = useState(false);
	const attempt = useMutation({
		mutationFn: action,
		// Runs even if the user has left the page, unlike a callback of `mutate`.
		onSuccess: async () => {
			close();
			if (isMounted.current) await redirect?.();
			void onDone?.();
		},
	});
	const close = () => {
		setOpen(false);
		attempt.reset();
	};
	return (
		<>
			<Button kind={kind} aria-label={ariaLabel} className={className ?? ""} onClick={() => setOpen(true)}>
				{label}
			</Button>
			{isOpen && (
				<ConfirmDialog
					title={dialog.title}
					confirm={dialog.confirm}
					busyText={attempt.isPending ? dialog.busyText : undefined}
					onConfirm={() => attempt.mutate()}
					onClose={close}
				>
					<div className="grid gap-4">
						<div>{dialog.text}</div>
						<ErrorNotice error={attempt.error} messages={messages} />
					</div>
				</ConfirmDialog>
			)}
		</>
	);
}
