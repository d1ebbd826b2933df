import type { ReactNode } from "react";
import { formErrorId } from "./form-error.tsx";

export type FieldWords = {
	name: string;
	label: string;
	/** Help text. */
	hint?: ReactNode;
	/** The error of this field, shown below it. */
	error?: string | undefined;
	/** Whether the form's error is about this field. */
	isInvalid?: boolean;
};

/** The label above a field, its hint and its error below. */
export function FieldFrame({ name, label, hint, error, children }: FieldWords & { children: ReactNode }) {
	return (
		<div className="mt-5">
			<label htmlFor={name} className="mb-1.5 block font-semibold">
				{label}
			</label>
			{children}
			{error !== undefined && (
				<p id={`${name}-error`} className="mt-1.5 font-semibold text-error">
					{error}
				</p>
			)}
			{hint !== undefined && (
				<div id={`${name}-hint`} className="mt-1.5 text-quiet wrap-anywhere">
					{hint}
				</div>
			)}
		</div>
	);
}

/** The ARIA attributes that connect a field with its hint and error. */
export function fieldAria({ name, hint, error, isInvalid = false }: FieldWords) {
	const described = [
		error !== undefined && `${name}-error`,
		error === undefined && isInvalid && formErrorId,
		hint !== undefined && `${name}-hint`,
	].filter((id) => id !== false);
	return {
		id: name,
		name,
		"aria-invalid": isInvalid || error !== undefined,
		"aria-describedby": described.length === 0 ? undefined : described.join(" "),
	};
}

/** The classes of the input element. */
export function fieldLook({ error, isInvalid = false }: FieldWords): string {
	const edge = isInvalid || error !== undefined ? "border-error" : "border-edge";
	return `min-h-12 w-full rounded-lg border bg-field px-3.5 text-lg ${edge}`;
}
