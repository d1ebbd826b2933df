import type { InputError } from "../../forms/submit-form.tsx";

/** What the sign-on service accepts as a logo. */
export const logoMediaTypes: readonly string[] = ["image/png", "image/jpeg", "image/webp"];
const logoBytesMax = 256 * 1_024;

/** The name of the file field is the field that the service names in its refusals. */
export const logoField = "body";

/** The chosen file; undefined when none is chosen. */
export function readLogoFile(entered: FormData): File | undefined {
	const file = entered.get(logoField);
	// A browser sends an empty file without a name where none was chosen.
	return file instanceof File && (file.name !== "" || file.size > 0) ? file : undefined;
}

type Words = { file: string; type: string; size: string };

/** What is wrong with the chosen file before it is sent. Whether it is an intact image is checked by the sign-on service. */
export function checkLogoFile(file: File | undefined, lacking: Words): InputError | undefined {
	if (file === undefined) return { field: logoField, message: lacking.file };
	if (!logoMediaTypes.includes(file.type)) return { field: logoField, message: lacking.type };
	if (file.size > logoBytesMax) return { field: logoField, message: lacking.size };
	return undefined;
}
