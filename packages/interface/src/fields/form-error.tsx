import type { ReactNode, Ref } from "react";
import { Countdown } from "../controls/countdown.tsx";
import { useWords } from "../texts/words.ts";
import { focusField } from "./use-error-focus.ts";

/** The id of a form's error. The invalid field refers to it by `aria-describedby`. */
export const formErrorId = "form-error";

/** What is wrong: the problem and what to do, and the name of the field that it is about. */
export type FieldError = { message: string; field?: string | undefined };

type FormError = {
	ref?: Ref<HTMLDivElement>;
	/** What is wrong, in the order of the form; empty if nothing is. */
	errors: readonly FieldError[];
	/** The reference for support. */
	reference?: string | undefined;
	/** How long to wait before another attempt. */
	retryAfterSeconds?: number | undefined;
	/** Content after a single message, for example a link to the page that solves the problem. */
	children?: ReactNode;
};

/**
 * The summary of a form's errors, above its fields. The live region is always rendered, because screen
 * readers may ignore a region that is inserted with its text.
 */
export function FormError({ ref, errors, reference, retryAfterSeconds, children }: FormError) {
	const [first, ...others] = errors;
	return (
		<div ref={ref} id={formErrorId} role="alert" tabIndex={-1}>
			{first !== undefined && (
				<div className="mb-6 rounded-lg border-l-4 border-error bg-error-wash px-4 py-3 text-error">
					{others.length === 0 ? (
						<p>
							{first.message} {retryAfterSeconds !== undefined && <Countdown seconds={retryAfterSeconds} />}{" "}
							{children}
						</p>
					) : (
						<ErrorList errors={errors} />
					)}
					{reference !== undefined && <p className="mt-1 text-base wrap-anywhere">{reference}</p>}
				</div>
			)}
		</div>
	);
}

/** Each message leads to its field. */
function ErrorList({ errors }: Pick<FormError, "errors">) {
	const { problems } = useWords();
	return (
		<>
			<p className="font-semibold">{problems(errors.length)}</p>
			<ul className="mt-1 list-disc pl-5">
				{errors.map(({ message, field = "" }) => (
					<li key={`${field} ${message}`}>
						<button
							type="button"
							onClick={({ currentTarget }) => focusField(currentTarget.form, field)}
							className="min-h-6 text-start underline decoration-1 underline-offset-4 hover:decoration-2"
						>
							{message}
						</button>
					</li>
				))}
			</ul>
		</>
	);
}
