import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import { Refusal } from "../../session/refusal.ts";
import { texts } from "../../texts.ts";
import { type Explanation, explainRefusal, type Field } from "./explain-refusal.ts";
import { FaultNotice } from "./fault-notice.tsx";
import { PasswordField } from "./password-field.tsx";
import { TextField } from "./text-field.tsx";

type SignInForm = {
	isBusy: boolean;
	/** Why the last attempt failed. */
	fault: Error | null;
	emailHint: string;
	onSubmit: (entered: { email: string; password: string }) => void;
};

/** E-mail address and password. What is wrong is said in words, announced, and the focus goes where it is mended. */
export function SignInForm({ isBusy, fault, emailHint, onSubmit }: SignInForm) {
	const [missing, setMissing] = useState<Explanation>();
	const form = useRef<HTMLFormElement>(null);
	const notice = useRef<HTMLDivElement>(null);
	const explained = useMemo(
		() => missing ?? (fault === null || isBusy ? undefined : explain(fault)),
		[missing, fault, isBusy],
	);

	useEffect(() => {
		// With a mouse comes a keyboard: typing may begin at once. On a phone the page is shown before its keyboard.
		if (matchMedia("(pointer: fine)").matches)
			inputOf(form.current, emailHint === "" ? "email" : "password")?.focus();
	}, [emailHint]);

	useEffect(() => {
		if (explained === undefined) return;
		const target = explained.field === undefined ? notice.current : inputOf(form.current, explained.field);
		target?.focus();
		if (target instanceof HTMLInputElement) target.select();
		// Each failed attempt is explained anew, so that saying the same again moves the focus again.
	}, [explained]);

	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		if (isBusy) return;
		const entered = readForm(event.currentTarget);
		const lacking = findMissing(entered);
		setMissing(lacking);
		if (lacking === undefined) onSubmit(entered);
	};

	const words = texts.signIn;
	return (
		<form ref={form} noValidate onSubmit={submit} aria-busy={isBusy} className="mt-7">
			<FaultNotice ref={notice} explained={explained} />
			<TextField
				name="email"
				type="email"
				label={words.email}
				autoComplete="username"
				defaultValue={emailHint}
				isFaulty={explained?.field === "email"}
			/>
			<PasswordField isFaulty={explained?.field === "password"} isBusy={isBusy} />
			<button
				type="submit"
				disabled={isBusy}
				className="mt-7 min-h-12 w-full rounded-lg bg-action px-5 text-lg font-semibold text-action-ink hover:bg-action-hover disabled:cursor-progress"
			>
				{isBusy ? words.submitting : words.submit}
			</button>
			<p className="mt-6 text-quiet">{words.forgotten}</p>
		</form>
	);
}

function readForm(form: HTMLFormElement): { email: string; password: string } {
	const data = new FormData(form);
	return { email: String(data.get("email") ?? "").trim(), password: String(data.get("password") ?? "") };
}

function findMissing({ email, password }: { email: string; password: string }): Explanation | undefined {
	if (email === "") return { message: texts.signIn.emailMissing, field: "email" };
	if (password === "") return { message: texts.signIn.passwordMissing, field: "password" };
	return undefined;
}

/** A fault that is no refusal is ours. */
function explain(fault: Error): Explanation {
	return explainRefusal(fault instanceof Refusal ? fault : new Refusal("unknown", { cause: fault }), texts);
}

function inputOf(form: HTMLFormElement | null, field: Field): HTMLInputElement | null {
	return form?.querySelector<HTMLInputElement>(`input[name="${field}"]`) ?? null;
}
