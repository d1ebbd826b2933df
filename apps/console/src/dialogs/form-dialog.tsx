import { Button, Dialog } from "@lango/interface";
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { SubmitForm, type SubmitFormFields } from "../forms/submit-form.tsx";
import { showToast } from "../notices/toast.ts";
import { useDialogTexts } from "./texts.ts";

export type FormDialog<T> = SubmitFormFields & {
	title: string;
	/** Under which name its entries are kept. Default: the title. */
	keptAs?: string;
	lead?: ReactNode;
	/** The name of the action, and the text of the button while it runs. */
	confirm: string;
	busyText: string;
	/** Whether something is lost or ends. Only then do the button that opens it and its action warn. */
	isDestructive?: boolean;
	/** Sends the request. An error is shown in the dialog; the invalid field gets the focus. */
	action: (entered: FormData) => Promise<T>;
	/** Closes the dialog: called on "cancel", and after success unless `onDone` is given. */
	onClose: () => void;
	/** Called after success instead of `onClose`, also if the user has left the page. */
	onDone?: (result: T) => unknown;
	/** The cache key of the queries to reload after success. */
	invalidates?: QueryKey;
	/** The toast after success. */
	done?: string | ((result: T) => string);
};

/** A form in a dialog. */
export function FormDialog<T>({ title, keptAs = title, lead, confirm, busyText, ...dialog }: FormDialog<T>) {
	const { action, onDone, onClose, invalidates, done, isDestructive = false, ...form } = dialog;
	const queries = useQueryClient();
	const id = useId();
	const { cancel } = useDialogTexts();
	const complete = async (result: T) => {
		await (onDone ?? onClose)(result);
		if (invalidates !== undefined) await queries.invalidateQueries({ queryKey: invalidates });
		if (done !== undefined) showToast("done", typeof done === "string" ? done : done(result));
	};
	const { mutate, isPending, error } = useMutation({
		mutationFn: action,
		// Runs even if the user has left the page, unlike a callback of `mutate`.
		onSuccess: (result) => void complete(result),
	});
	const actions = (
		<>
			<Button onClick={onClose} disabled={isPending}>
				{cancel}
			</Button>
			<Button
				type="submit"
				form={id}
				kind={isDestructive ? "danger" : "action"}
				busyText={isPending ? busyText : undefined}
			>
				{confirm}
			</Button>
		</>
	);
	return (
		<Dialog title={title} onClose={onClose} isBusy={isPending} actions={actions}>
			{lead !== undefined && <div className="mb-4 text-quiet">{lead}</div>}
			<SubmitForm
				{...form}
				id={id}
				keptAs={keptAs}
				isBusy={isPending}
				failure={error}
				onSubmit={(entered) => mutate(entered)}
			/>
		</Dialog>
	);
}
