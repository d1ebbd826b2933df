import { Button, type ButtonKind, Dialog } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { useAskingTexts } from "../asking/texts.ts";
import { useIsThere } from "../asking/use-is-there.ts";
import type { OwnWords } from "../notices/explain.ts";
import { type Lacking, SentForm } from "./sent-form.tsx";

type FormButton<T> = {
	/** The button that opens it. */
	label: string;
	kind?: ButtonKind;
	title: string;
	lead?: ReactNode;
	submit: string;
	submitting: string;
	own?: OwnWords;
	byField?: OwnWords;
	check?: (entered: FormData) => Lacking | undefined;
	/** Does it. What it throws is said in the dialog, which stays. */
	deed: (entered: FormData) => Promise<T>;
	/** Called when it is done, also when the page was left; the dialog is closed by then. */
	onDone?: (result: T) => unknown;
	/** Where to go on to, before `onDone`, for who has not left the page. */
	goOn?: (result: T) => unknown;
	children: (faulty: (name: string) => { isFaulty: boolean }) => ReactNode;
};

/** A button, and the short form it opens. */
export function FormButton<T>({
	label,
	kind = "plain",
	title,
	lead,
	deed,
	onDone,
	goOn,
	...form
}: FormButton<T>) {
	const isThere = useIsThere();
	const [isOpen, setOpen] = useState(false);
	const id = useId();
	const { cancel } = useAskingTexts();
	const attempt = useMutation({
		mutationFn: deed,
		// Of the deed and not of the dialog: it is told even when the page was left meanwhile.
		onSuccess: async (result) => {
			close();
			if (isThere.current) await goOn?.(result);
			void onDone?.(result);
		},
	});
	const close = () => {
		setOpen(false);
		attempt.reset();
	};
	const actions = (
		<>
			<Button onClick={close} disabled={attempt.isPending}>
				{cancel}
			</Button>
			<Button
				type="submit"
				form={id}
				kind="action"
				busyText={attempt.isPending ? form.submitting : undefined}
			>
				{form.submit}
			</Button>
		</>
	);
	return (
		<>
			<Button kind={kind} onClick={() => setOpen(true)}>
				{label}
			</Button>
			{isOpen && (
				<Dialog title={title} onClose={close} isBusy={attempt.isPending} actions={actions}>
					{lead !== undefined && <div className="mb-4 text-quiet">{lead}</div>}
					<SentForm
						{...form}
						id={id}
						isBusy={attempt.isPending}
						fault={attempt.error}
						onSubmit={(entered) => attempt.mutate(entered)}
					/>
				</Dialog>
			)}
		</>
	);
}
