import type { ComponentProps } from "react";
import { FieldFrame, type FieldWords, fieldAria, fieldLook } from "./field-frame.tsx";

type FileField = FieldWords & Pick<ComponentProps<"input">, "accept" | "onChange">;

/**
 * A labelled input for one file. It uses the browser's file input, which supports keyboards and screen
 * readers.
 */
export function FileField({ label, hint, error, isInvalid = false, ...input }: FileField) {
	const words: FieldWords = { name: input.name, label, hint, error, isInvalid };
	return (
		<FieldFrame {...words}>
			<input
				{...input}
				{...fieldAria(words)}
				type="file"
				className={`${fieldLook(words)} py-2 file:mr-4 file:min-h-8 file:rounded-md file:border file:border-edge file:px-3 file:font-semibold file:text-link`}
			/>
		</FieldFrame>
	);
}
