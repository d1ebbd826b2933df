import { Button, FormError, useErrorFocus } from "@lango/interface";
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { type Explanation, explainRefusal } from "../../session/explain-refusal.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/texts.ts";
import { type Entered, findInvalid, findMissing, readEntered } from "./entered.ts";

type SentForm = {
	/** The text of the button, and its text while the request is running. */
	submit: string;
	submitting: string;
	/** Fields that must not be empty, in the order of the form. */
	required: ReadonlyArray<keyof Texts["missing"]>;
	isBusy: boolean;
	/** The failure of the last attempt. */
	failure: Error | null;
	onSubmit: (entered: Entered) => void;
	/** The field that gets the initial focus, except on touch devices. */
	focusFirst?: string;
	children: (validity: (name: string) => { isInvalid: boolean }) => ReactNode;
};

/** A form with a submit button. Shows and announces an error and moves the focus to its field. */
export function SentForm({ isBusy, failure, focusFirst, required, onSubmit, ...form }: SentForm) {
	const texts = useTexts();
	const [missing, setMissing] = useState<Explanation>();
	const element = useRef<HTMLFormElement>(null);
	const explained = useMemo(
		() => missing ?? (failure === null || isBusy ? undefined : explainRefusal(failure, texts)),
		[missing, failure, isBusy, texts],
	);
	useErrorFocus(element, explained);

	useEffect(() => {
		// Not on touch devices, where a focused field opens the on-screen keyboard over the page.
		if (focusFirst === undefined || !matchMedia("(pointer: fine)").matches) return;
		element.current?.querySelector<HTMLElement>(`[name="${focusFirst}"]`)?.focus();
	}, [focusFirst]);

	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		if (isBusy) return;
		const entered = readEntered(event.currentTarget);
		const problem = findMissing(entered, required, texts) ?? findInvalid(entered, texts);
		setMissing(problem);
		if (problem === undefined) onSubmit(entered);
	};

	return (
		<form ref={element} noValidate onSubmit={submit} aria-busy={isBusy} className="mt-7">
			<FormError message={explained?.message} reference={explained?.reference} />
			{form.children((name) => ({ isInvalid: explained?.field === name }))}
			<Button
				type="submit"
				kind="action"
				busyText={isBusy ? form.submitting : undefined}
				className="mt-7 w-full text-lg"
			>
				{form.submit}
			</Button>
		</form>
	);
}
