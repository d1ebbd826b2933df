import { useEffect, useState } from "react";
import { texts } from "../../texts.ts";
import { TextField } from "./text-field.tsx";

/** The password, with a button that shows it. It is hidden again while a sign-in is under way. */
export function PasswordField({ isFaulty, isBusy }: { isFaulty: boolean; isBusy: boolean }) {
	const [isShown, setShown] = useState<boolean>();
	useEffect(() => {
		if (isBusy) setShown((shown) => shown && false);
	}, [isBusy]);

	const words = texts.signIn;
	return (
		<TextField
			name="password"
			type={isShown ? "text" : "password"}
			label={words.password}
			autoComplete="current-password"
			isFaulty={isFaulty}
		>
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
