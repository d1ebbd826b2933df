import { Button, FormError, useFaultFocus } from "@lango/interface";
import { type FormEvent, type ReactNode, useMemo, useRef, useState } from "react";
import { explain, type OwnWords } from "../notices/explain.ts";
import { PlansLink } from "../notices/plans-link.tsx";
import { useNoticeTexts } from "../notices/texts.ts";

/** What is wrong with a form before it is sent, and where. */
export type Lacking = { message: string; field: string };

type SentForm = {
	/** Ties a button outside to the form, as at the end of a dialog; the form's own is left out then. */
	id?: string;
	submit: string;
	submitting: string;
	isBusy: boolean;
	/** Why the last attempt failed; null when it did not. */
	fault: unknown;
	/** The page's words by code, and by the field that a service names. */
	own?: OwnWords;
	byField?: OwnWords;
	/** Looks at what was entered; what it answers is said, and nothing is sent. */
	check?: (entered: FormData) => Lacking | undefined;
	onSubmit: (entered: FormData) => void;
	/** Beside its button. */
	aside?: ReactNode;
	children: (faulty: (name: string) => { isFaulty: boolean }) => ReactNode;
};

const none: OwnWords = {};

/** A form that is sent. What is wrong is said in words, announced, and the focus goes where it is mended. */
export function SentForm({ isBusy, fault, check, onSubmit, own = none, byField = none, ...form }: SentForm) {
	const [lacking, setLacking] = useState<Lacking>();
	const element = useRef<HTMLFormElement>(null);
	const refused = useRefused({ fault: isBusy ? null : fault, own, byField });
	const said = lacking ?? refused;
	useFaultFocus(element, said);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		if (isBusy) return;
		const entered = new FormData(event.currentTarget);
		const found = check?.(entered);
		setLacking(found);
		if (found === undefined) onSubmit(entered);
	};
	return (
		<form id={form.id} ref={element} noValidate onSubmit={submit} aria-busy={isBusy}>
			<FormError message={said?.message} reference={refused?.reference}>
				{lacking === undefined && refused?.isUpgrade && <PlansLink />}
			</FormError>
			{form.children((name) => ({ isFaulty: said?.field === name }))}
			{form.id === undefined && (
				<div className="mt-7 flex flex-wrap gap-3">
					<Button type="submit" kind="action" busyText={isBusy ? form.submitting : undefined}>
						{form.submit}
					</Button>
					{form.aside}
				</div>
			)}
		</form>
	);
}

type Refused = { fault: unknown; own: OwnWords; byField: OwnWords };

/** A refusal in words: those for the field it names, where the page has some, else those by its code. */
function useRefused({ fault, own, byField }: Refused) {
	const texts = useNoticeTexts();
	// One object for each failed attempt, so that failing in the same way again moves the focus again.
	return useMemo(() => {
		if (fault === null || fault === undefined) return undefined;
		const { message, field, reference, isUpgrade } = explain(fault, { texts, own });
		const base = field?.split(".", 1)[0];
		const better = base !== undefined && Object.hasOwn(byField, base) ? byField[base] : undefined;
		return {
			message: better ?? message,
			field: base,
			reference: better === undefined ? reference : undefined,
			isUpgrade,
		};
	}, [fault, texts, own, byField]);
}
