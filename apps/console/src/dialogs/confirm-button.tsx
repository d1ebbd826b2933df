import { Button, type ButtonKind, ConfirmDialog } from "@lango/interface";
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorNotice } from "../notices/error-notice.tsx";
import type { ErrorMessages } from "../notices/explain.ts";
import { showToast } from "../notices/toast.ts";
import { useIsMounted } from "./use-is-mounted.ts";

/** A text, or a function of the entity's name. */
type Text = string | ((name: string) => string);

/** The texts of an action that needs a confirmation. */
type ActionTexts = {
	label: string;
	/** For screen readers, if the label alone is ambiguous, for example in a table. */
	labelOf?: (name: string) => string;
	title: Text;
	/** The consequences. */
	text: Text;
	/** The name of the action, never "OK". Default: the label. */
	confirm?: string;
	busy: string;
	/** The toast after success. */
	done?: Text | undefined;
};

type ConfirmButton = {
	texts: ActionTexts;
	/** The name of the entity, for the texts. */
	name?: string;
	kind?: Exclude<ButtonKind, "danger" | "remove" | "quietRemove">;
	/** Whether something is lost or ends. Only then do the button and the confirmation warn by their look. */
	isDestructive?: boolean;
	/** Whether the name must be typed, for what cannot be brought back. */
	asksByName?: boolean;
	className?: string;
	/** Performs it. An error is shown in the dialog, which stays open. */
	action: () => Promise<unknown>;
	/** Called after success if the user is still on the page. Opens another page. */
	redirect?: () => unknown;
	/** Called after success, also if the user has left the page, before the toast. The dialog is closed. */
	onDone?: () => unknown;
	/** The cache key of the queries to reload after success, before the toast. */
	invalidates?: QueryKey;
	/** The page's messages by error code. */
	messages?: ErrorMessages;
};

const destructiveLooks = { action: "remove", plain: "remove", quiet: "quietRemove" } as const;

/** A button that asks for confirmation. Used for actions that cannot be undone. */
export function ConfirmButton(props: ConfirmButton) {
	const { texts, name = "", kind = "plain", className = "", messages } = props;
	const { isDestructive = false, asksByName = false } = props;
	const [isOpen, setOpen] = useState(false);
	const say = (text: Text) => (typeof text === "string" ? text : text(name));
	const attempt = useAttempt(props, {
		done: texts.done === undefined ? undefined : say(texts.done),
		close: () => close(),
	});
	const close = () => {
		setOpen(false);
		attempt.reset();
	};
	return (
		<>
			<Button
				kind={isDestructive ? destructiveLooks[kind] : kind}
				aria-haspopup="dialog"
				aria-label={texts.labelOf?.(name)}
				className={className}
				onClick={() => setOpen(true)}
			>
				{texts.label}
			</Button>
			{isOpen && (
				<ConfirmDialog
					title={say(texts.title)}
					confirm={texts.confirm ?? texts.label}
					isDestructive={isDestructive}
					typed={asksByName ? name : undefined}
					busyText={attempt.isPending ? texts.busy : undefined}
					onConfirm={() => attempt.mutate()}
					onClose={close}
				>
					<div className="grid gap-4">
						<div>{say(texts.text)}</div>
						<ErrorNotice error={attempt.error} messages={messages} />
					</div>
				</ConfirmDialog>
			)}
		</>
	);
}

type Completion = { done: string | undefined; close: () => void };

function useAttempt({ action, redirect, onDone, invalidates }: ConfirmButton, { done, close }: Completion) {
	const queries = useQueryClient();
	const isMounted = useIsMounted();
	const complete = async () => {
		await onDone?.();
		if (invalidates !== undefined) await queries.invalidateQueries({ queryKey: invalidates });
		if (done !== undefined) showToast("done", done);
	};
	return useMutation({
		mutationFn: action,
		// Runs even if the user has left the page, unlike a callback of `mutate`.
		onSuccess: async () => {
			close();
			if (isMounted.current) await redirect?.();
			void complete();
		},
	});
}
