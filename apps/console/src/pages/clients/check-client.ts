import type { InputError } from "../../forms/input-errors.ts";
import type { readClient } from "./client-fields.tsx";
import type { ClientTexts } from "./texts.ts";

const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{1,99}$/;

type Entered = ReturnType<typeof readClient> & { client_id?: string };

/** Validates an application before the request. The sign-on service checks whether an address is safe. */
export function checkClient(
	entered: Entered,
	{ isPublic, inputErrors }: { isPublic: boolean; inputErrors: ClientTexts["inputErrors"] },
): InputError | undefined {
	const { client_id: id, name, redirect_uris: addresses, scopes } = entered;
	if (id !== undefined && !idForm.test(id)) return { field: "client_id", message: inputErrors.client_id };
	if (name === "") return { field: "name", message: inputErrors.name };
	if (isPublic && addresses.length === 0)
		return { field: "redirect_uris", message: inputErrors.redirect_uris };
	const wrong = addresses.find((address) => !address.includes(":/"));
	if (wrong !== undefined) return { field: "redirect_uris", message: inputErrors.address(wrong) };
	return scopes.length === 0 ? { field: "scopes", message: inputErrors.scopes } : undefined;
}
