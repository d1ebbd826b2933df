import { errorsOf, type InputError } from "../../forms/rules.ts";

/** The media types that the sign-on service accepts for a logo. */
export const logoMediaTypes: readonly string[] = ["image/png", "image/jpeg", "image/webp"];
const logoBytesMax = 256 * 1_024;

/** The name of the file field, which the service also uses in its errors. */
export const logoField = "body";

/** The selected file, or undefined. */
export function readLogoFile(entered: FormData): File | undefined {
	const file = entered.get(logoField);
	// Without a selection, a browser sends an empty file without a name.
	return file instanceof File && (file.name !== "" || file.size > 0) ? file : undefined;
}

type Words = { file: string; type: string; size: string };

/** Validates the selected file before the upload. The sign-on service checks whether the image is intact. */
export function checkLogoFile(file: File | undefined, inputErrors: Words): readonly InputError[] {
	return errorsOf([
		[file === undefined, logoField, inputErrors.file],
		[!logoMediaTypes.includes(file?.type ?? ""), logoField, inputErrors.type],
		[(file?.size ?? 0) > logoBytesMax, logoField, inputErrors.size],
	]);
}
