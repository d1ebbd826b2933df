import { type QueryKey, useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useReload } from "../notices/use-reload.ts";
import { type Field, SubmitForm, type SubmitFormFields } from "./submit-form.tsx";

type SaveForm = Omit<SubmitFormFields, "children"> & {
	/** The button, the button while it saves, and the message after success. */
	texts: { save: string; saving: string; saved: string };
	save: (entered: FormData) => Promise<unknown>;
	/** The cache key of the queries to reload after success. */
	invalidates: QueryKey;
	/** Under which name its entries are kept, where a page has several forms. */
	keptAs?: string;
	/** Shown beside the button. */
	aside?: ReactNode;
	children: (field: Field, isBusy: boolean) => ReactNode;
};

/** A form that saves what is stored: after success it reloads it and shows a message. */
export function SaveForm({ texts, save, invalidates, children, ...form }: SaveForm) {
	const reload = useReload(invalidates);
	const attempt = useMutation({ mutationFn: save, onSuccess: () => reload(texts.saved) });
	return (
		<SubmitForm
			{...form}
			submit={texts.save}
			submitting={texts.saving}
			isBusy={attempt.isPending}
			failure={attempt.error}
			onSubmit={(entered) => attempt.mutate(entered)}
		>
			{(field) => children(field, attempt.isPending)}
		</SubmitForm>
	);
}
