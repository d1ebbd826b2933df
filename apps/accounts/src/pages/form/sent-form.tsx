import { Button, FormError, useErrorFocus, useKeptEntries, useSending } from "@lango/interface";
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { type Explanation, explainRefusal } from "../../session/explain-refusal.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/texts.ts";
import { type Entered, findWrong, readEntered } from "./entered.ts";

type SentForm = {
	/** The text of the button, and its text while the request is running. */
	submit: string;
	submitting: string;
	/** Fields that must not be empty, in the order of the form. */
	required: ReadonlyArray<keyof Texts["missing"]>;
	/** Whether submitting leads to a further step, and sends nothing yet. */
	isStep?: boolean;
	isBusy: boolean;
	/** Whether it was sent and the page is being left: the button stays busy. */
	isDone?: boolean;
	/** Whether its entries, without passwords, are kept in this tab until they are sent. */
	isKept?: boolean;
	/** Under which name, if the page has one form for several things. */
	keptAs?: string;
	/** The failure of the last attempt. */
	failure: Error | null;
	onSubmit: (entered: Entered) => void;
	/** The field that gets the initial focus, except on touch devices. */
	focusFirst?: string | undefined;
	/** Buttons below the one that sends the form. */
	aside?: ReactNode;
	children: (validity: (name: string) => { isInvalid: boolean; error: string | undefined }) => ReactNode;
};

const nothing: readonly Explanation[] = [];

/** A form with a submit button. Shows and announces all errors and moves the focus to the first field. */
export function SentForm({
	isStep = false,
	isBusy,
	isDone = false,
	isKept = true,
	keptAs = "",
	failure,
	focusFirst,
	required,
	onSubmit,
	...form
}: SentForm) {
	const texts = useTexts();
	const [wrong, setWrong] = useState(nothing);
	const element = useRef<HTMLFormElement>(null);
	const errors = useMemo(
		() =>
			wrong.length > 0 || failure === null || isBusy ? wrong : [countedDown(explainRefusal(failure, texts))],
		[wrong, failure, isBusy, texts],
	);
	useErrorFocus(element, errors);
	const keep = useKeptEntries(element, isKept ? keptAs : undefined, {
		isBusy: isBusy && !isDone,
		failure,
		staysWhenLeft: true,
	});

	const hasErrors = useRef(false);
	useEffect(() => {
		hasErrors.current = errors.length > 0;
	}, [errors]);
	useEffect(() => {
		// Not on touch devices, where a focused field opens the on-screen keyboard over the page.
		if (focusFirst === undefined || hasErrors.current || !matchMedia("(pointer: fine)").matches) return;
		element.current?.querySelector<HTMLElement>(`[name="${focusFirst}"]`)?.focus();
	}, [focusFirst]);

	const sending = useSending(isBusy);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		if (isBusy || sending.isBegun()) return;
		const entered = readEntered(event.currentTarget);
		const found = findWrong(event.currentTarget, entered, { required, texts });
		setWrong(found);
		if (found.length > 0) return;
		if (!isStep) sending.begin();
		onSubmit(entered);
	};

	return (
		<form ref={element} noValidate onInput={keep} onSubmit={submit} aria-busy={isBusy} className="mt-7">
			<FormError
				errors={errors}
				reference={errors[0]?.reference}
				retryAfterSeconds={errors[0]?.counted?.seconds}
			/>
			{form.children((name) => {
				const found = errors.find(({ field }) => field === name);
				return { isInvalid: found !== undefined, error: found?.message };
			})}
			<Button
				type="submit"
				kind="action"
				busyText={isBusy ? form.submitting : undefined}
				className="mt-7 w-full text-lg"
			>
				{form.submit}
			</Button>
			{form.aside}
		</form>
	);
}

const countedDown = (explained: Explanation): Explanation => ({
	...explained,
	message: explained.counted?.message ?? explained.message,
});
