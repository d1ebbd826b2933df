import type { ComponentProps, ReactNode } from "react";
import { FieldFrame, type FieldWords, fieldAria, fieldLook } from "./field-frame.tsx";

type TextField = FieldWords &
	Pick<
		ComponentProps<"input">,
		| "type"
		| "autoComplete"
		| "defaultValue"
		| "value"
		| "onChange"
		| "onBlur"
		| "maxLength"
		| "inputMode"
		| "list"
		| "readOnly"
	> & {
		/** Whether the form can be sent without it. */
		isOptional?: boolean;
		/** Whether it is prose, such as a name: what phones capitalise and correct. Everything else is exact. */
		isProse?: boolean;
		/** Whether it is a secret: it is never kept with the other entries of its form. */
		isSecret?: boolean;
		/** A button at the field's end. */
		children?: ReactNode;
	};

/** One labelled input, large enough for a thumb. Its id is its name: a form has each name once. */
export function TextField({
	isOptional = false,
	isProse = false,
	isSecret = false,
	children,
	label,
	hint,
	error,
	isInvalid = false,
	...input
}: TextField) {
	const words: FieldWords = { name: input.name, label, hint, error, isInvalid };
	return (
		<FieldFrame {...words}>
			<div className="relative">
				<input
					{...input}
					{...fieldAria(words)}
					required={!isOptional}
					data-secret={isSecret || undefined}
					autoCapitalize={isProse ? "words" : "none"}
					autoCorrect="off"
					spellCheck={false}
					className={`${fieldLook(words)} ${children ? "pr-20" : ""}`}
				/>
				{children}
			</div>
		</FieldFrame>
	);
}
