/**
 * The languages that an application asked for, most preferred first: `ui_locales` of the authorization request
 * that the address of a page carries in `return_to` (OpenID Connect Core §3.1.2.1). Empty when the request
 * names none; undefined when the address carries no authorization request. A language is harmless, so the
 * request does not have to be an accepted `return_to`.
 */
export function requestedLanguages(search: string): readonly string[] | undefined {
	const request = URL.parse(new URLSearchParams(search).get("return_to") ?? "")?.searchParams;
	if (!request?.has("client_id")) return undefined;
	return (request.get("ui_locales") ?? "").split(" ").filter((tag) => tag !== "");
}
