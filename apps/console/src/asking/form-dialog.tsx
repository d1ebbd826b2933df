import { Button, Dialog, FormError, useFaultFocus } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useId, useMemo, useRef, useState } from "react";
import { explain, type OwnWords } from "../notices/explain.ts";
import { PlansLink } from "../notices/plans-link.tsx";
import { useNoticeTexts } from "../notices/texts.ts";
import { useAskingTexts } from "./texts.ts";

/** What a page finds wrong before anything is sent: the words, and the field by its name. */
export type Lacking = { message: string; field?: string };

type FormDialog<T> = {
	title: string;
	/** The deed in words, and what the button says while it is under way. */
	confirm: string;
	busyText: string;
	/** Looks at what was entered; nothing is sent as long as it finds something. */
	check?: () => Lacking | undefined;
	/** Sends it. What it throws is said in the dialog, which stays; the focus goes to the field to blame. */
	deed: () => Promise<T>;
	onDone: (result: T) => unknown;
	onClose: () => void;
	/** The page's words by code. */
	own?: OwnWords;
	/** The fields; told which one is to be mended. */
	children: (faultyField: string | undefined) => ReactNode;
};

const none: OwnWords = {};

/** A form over the page. */
export function FormDialog<T>({ check, deed, onDone, onClose, own = none, ...dialog }: FormDialog<T>) {
	const form = useRef<HTMLFormElement>(null);
	const formId = useId();
	const texts = useNoticeTexts();
	const { cancel } = useAskingTexts();
	const [lacking, setLacking] = useState<Lacking>();
	const attempt = useMutation({
		mutationFn: deed,
		// Of the deed and not of the dialog: it is told even when the page was left meanwhile.
		onSuccess: (result) => void onDone(result),
	});
	const { error, isPending } = attempt;
	const fault = useMemo(
		() => lacking ?? (error === null ? undefined : explain(error, { texts, own })),
		[lacking, error, texts, own],
	);
	useFaultFocus(form, fault);
	const send = (event: FormEvent) => {
		event.preventDefault();
		if (isPending) return;
		const found = check?.();
		setLacking(found);
		if (found === undefined) attempt.mutate();
	};
	const actions = (
		<>
			<Button onClick={onClose} disabled={isPending}>
				{cancel}
			</Button>
			<Button type="submit" form={formId} kind="action" busyText={isPending ? dialog.busyText : undefined}>
				{dialog.confirm}
			</Button>
		</>
	);
	return (
		<Dialog title={dialog.title} onClose={onClose} isBusy={isPending} actions={actions}>
			<form id={formId} ref={form} noValidate onSubmit={send} aria-busy={isPending}>
				<FormError
					message={fault?.message}
					reference={fault !== undefined && "reference" in fault ? fault.reference : undefined}
				>
					{fault !== undefined && "isUpgrade" in fault && fault.isUpgrade && <PlansLink />}
				</FormError>
				{dialog.children(fault?.field)}
			</form>
		</Dialog>
	);
}
