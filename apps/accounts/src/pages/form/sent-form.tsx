import { Button, FormError, useFaultFocus } from "@lango/interface";
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { type Explanation, explainRefusal } from "../../session/explain-refusal.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/texts.ts";
import { type Entered, findInvalid, findMissing, readEntered } from "./entered.ts";

type SentForm = {
	/** What its button says, and what it says while the form is on its way. */
	submit: string;
	submitting: string;
	/** Fields that must not be empty, in their order. */
	required: ReadonlyArray<keyof Texts["missing"]>;
	isBusy: boolean;
	/** Why the last attempt failed. */
	fault: Error | null;
	onSubmit: (entered: Entered) => void;
	/** The field that has the focus first, where there is a keyboard. */
	focusFirst?: string;
	children: (faulty: (name: string) => { isFaulty: boolean }) => ReactNode;
};

/** A form that is sent. What is wrong is said in words, announced, and the focus goes where it is mended. */
export function SentForm({ isBusy, fault, focusFirst, required, onSubmit, ...form }: SentForm) {
	const texts = useTexts();
	const [missing, setMissing] = useState<Explanation>();
	const element = useRef<HTMLFormElement>(null);
	const explained = useMemo(
		() => missing ?? (fault === null || isBusy ? undefined : explainRefusal(fault, texts)),
		[missing, fault, isBusy, texts],
	);
	useFaultFocus(element, explained);

	useEffect(() => {
		// With a mouse comes a keyboard: typing may begin at once. On a phone the page is shown before its keyboard.
		if (focusFirst === undefined || !matchMedia("(pointer: fine)").matches) return;
		element.current?.querySelector<HTMLElement>(`[name="${focusFirst}"]`)?.focus();
	}, [focusFirst]);

	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		if (isBusy) return;
		const entered = readEntered(event.currentTarget);
		const lacking = findMissing(entered, required, texts) ?? findInvalid(entered, texts);
		setMissing(lacking);
		if (lacking === undefined) onSubmit(entered);
	};

	return (
		<form ref={element} noValidate onSubmit={submit} aria-busy={isBusy} className="mt-7">
			<FormError message={explained?.message} reference={explained?.reference} />
			{form.children((name) => ({ isFaulty: explained?.field === name }))}
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
