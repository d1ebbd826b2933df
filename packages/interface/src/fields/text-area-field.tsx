import type { ComponentProps } from "react";
import { FieldFrame, type FieldWords, fieldAria, fieldLook } from "./field-frame.tsx";

type TextAreaField = FieldWords &
	Pick<ComponentProps<"textarea">, "defaultValue" | "value" | "onChange" | "rows" | "maxLength"> & {
		/** Whether the form can be sent without it. */
		isOptional?: boolean;
		/** Whether it is prose. Other text, such as addresses, is monospaced and has no spell check. */
		isProse?: boolean;
		/** Whether it is a secret: it is never kept with the other entries of its form. */
		isSecret?: boolean;
	};

/** Several lines of text. */
export function TextAreaField({
	isOptional = false,
	isProse = false,
	isSecret = false,
	rows = 3,
	label,
	hint,
	error,
	isInvalid = false,
	...area
}: TextAreaField) {
	const words: FieldWords = { name: area.name, label, hint, error, isInvalid };
	return (
		<FieldFrame {...words}>
			<textarea
				{...area}
				{...fieldAria(words)}
				rows={rows}
				required={!isOptional}
				data-secret={isSecret || undefined}
				autoCapitalize={isProse ? "sentences" : "none"}
				autoCorrect={isProse ? "on" : "off"}
				spellCheck={isProse}
				className={`${fieldLook(words)} resize-y py-2.5 ${isProse ? "" : "font-mono text-base"}`}
			/>
		</FieldFrame>
	);
}
