import type { InputError } from "../../forms/submit-form.tsx";
import type { readClient } from "./client-fields.tsx";
import type { ClientTexts } from "./texts.ts";

const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{1,99}$/;

type Entered = ReturnType<typeof readClient> & { client_id?: string };

/** What is wrong with an application before it is sent. Whether an address is safe the sign-on service says. */
export function checkClient(
	entered: Entered,
	{ isPublic, lacking }: { isPublic: boolean; lacking: ClientTexts["lacking"] },
): InputError | undefined {
	const { client_id: id, name, redirect_uris: addresses, scopes } = entered;
	if (id !== undefined && !idForm.test(id)) return { field: "client_id", message: lacking.client_id };
	if (name === "") return { field: "name", message: lacking.name };
	if (isPublic && addresses.length === 0) return { field: "redirect_uris", message: lacking.redirect_uris };
	const wrong = addresses.find((address) => !address.includes(":/"));
	if (wrong !== undefined) return { field: "redirect_uris", message: lacking.address(wrong) };
	return scopes.length === 0 ? { field: "scopes", message: lacking.scopes } : undefined;
}
