import { type ComponentProps, useEffect, useState } from "react";
import { useWords } from "../texts/words.ts";
import { TextField } from "./text-field.tsx";

type PasswordField = Omit<ComponentProps<typeof TextField>, "type" | "children"> & {
	/** Whether what was typed is on its way. */
	isBusy?: boolean;
};

/** A password, with a button that shows it. It is hidden again while the form is on its way. */
export function PasswordField({ isBusy = false, ...field }: PasswordField) {
	const [isShown, setShown] = useState<boolean>();
	useEffect(() => {
		if (isBusy) setShown((shown) => shown && false);
	}, [isBusy]);

	const words = useWords();
	return (
		<TextField {...field} isSecret type={isShown ? "text" : "password"}>
			<button
				type="button"
				onClick={() => setShown(!isShown)}
				aria-label={isShown ? words.hidePassword : words.showPassword}
				className="absolute inset-y-0.5 right-0.5 min-w-16 rounded-lg px-3 font-semibold text-link hover:underline"
			>
				{isShown ? words.hide : words.show}
			</button>
			<span role="status" className="sr-only">
				{isShown === undefined ? "" : isShown ? words.passwordShown : words.passwordHidden}
			</span>
		</TextField>
	);
}
