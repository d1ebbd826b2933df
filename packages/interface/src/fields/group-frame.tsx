import type { ReactNode } from "react";
import { formErrorId } from "./form-error.tsx";

/** What a group of boxes of one name shows: its legend, its help, and what is wrong with the choice. */
export type GroupWords = {
	/** Every box has it; a form's data has it once for each that is checked. */
	name: string;
	legend: ReactNode;
	hint?: ReactNode;
	/** The error of this field, shown below the boxes. */
	error?: string | undefined;
	/** Whether the form's error is about this field. */
	isInvalid?: boolean;
};

/** The legend of a group of boxes, its hint above and its error below. */
export function GroupFrame({ name, legend, hint, error, children }: GroupWords & { children: ReactNode }) {
	const described = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`];
	return (
		<fieldset
			className="mt-5 min-w-0"
			aria-describedby={described.filter((id) => id !== false).join(" ") || undefined}
		>
			<legend className="mb-1.5 block font-semibold">{legend}</legend>
			{hint !== undefined && (
				<div id={`${name}-hint`} className="mb-2 text-quiet">
					{hint}
				</div>
			)}
			{children}
			<GroupError name={name} error={error} />
		</fieldset>
	);
}

/** What is wrong with a choice, below its boxes. */
export function GroupError({ name, error }: Pick<GroupWords, "name" | "error">) {
	if (error === undefined) return null;
	return (
		<p id={`${name}-error`} className="mt-1.5 font-semibold text-error">
			{error}
		</p>
	);
}

/** The ARIA attributes of a box: the one that gets the focus is read with what is wrong with its group. */
export function boxAria({ name, error, isInvalid = false }: Omit<GroupWords, "legend">) {
	if (!isInvalid && error === undefined) return {};
	return {
		"aria-invalid": true,
		"aria-describedby": error === undefined ? formErrorId : `${name}-error`,
	} as const;
}
