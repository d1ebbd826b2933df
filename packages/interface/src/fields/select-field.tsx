import type { ComponentProps, ReactNode } from "react";
import { FieldFrame, type FieldWords, fieldAria, fieldLook } from "./field-frame.tsx";

type SelectField = FieldWords &
	Pick<ComponentProps<"select">, "defaultValue" | "value" | "onChange"> & {
		options: ReadonlyArray<{ value: string; label: string }>;
		/** What finds one of many, between the label and the list. */
		above?: ReactNode;
	};

/** One of a few. The browser's own list, which every phone and screen reader knows. */
export function SelectField({
	options,
	above,
	label,
	hint,
	error,
	isInvalid = false,
	...select
}: SelectField) {
	const words: FieldWords = { name: select.name, label, hint, error, isInvalid };
	return (
		<FieldFrame {...words}>
			{Boolean(above) && <div className="mb-2">{above}</div>}
			<select {...select} {...fieldAria(words)} className={`${fieldLook(words)} opens-list pr-10`}>
				{options.map(({ value, label: text }) => (
					<option key={value} value={value}>
						{text}
					</option>
				))}
			</select>
		</FieldFrame>
	);
}
