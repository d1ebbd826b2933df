import { errorsOf, type InputError } from "../../forms/rules.ts";
import type { readClient } from "./client-fields.tsx";
import type { ClientTexts } from "./texts.ts";

const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{1,99}$/;

type Entered = ReturnType<typeof readClient> & { client_id?: string };

/** Validates an application before the request. The sign-on service checks whether an address is safe. */
export function checkClient(
	entered: Entered,
	{ isPublic, inputErrors }: { isPublic: boolean; inputErrors: ClientTexts["inputErrors"] },
): readonly InputError[] {
	const { client_id: id, name, redirect_uris: addresses, scopes } = entered;
	const wrong = addresses.find((address) => !address.includes(":/"));
	return errorsOf([
		[id !== undefined && !idForm.test(id), "client_id", inputErrors.client_id],
		[name === "", "name", inputErrors.name],
		[isPublic && addresses.length === 0, "redirect_uris", inputErrors.redirect_uris],
		[wrong !== undefined, "redirect_uris", inputErrors.address(wrong ?? "")],
		[scopes.length === 0, "scopes", inputErrors.scopes],
	]);
}
