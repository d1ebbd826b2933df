/**
 * The languages that an application requested, most preferred first: `ui_locales` of the authorization
 * request in `return_to` (OpenID Connect Core §3.1.2.1). Empty if the request has no `ui_locales`; undefined
 * if there is no authorization request. A language is harmless, so `return_to` is not checked here.
 */
export function requestedLanguages(search: string): readonly string[] | undefined {
	const request = URL.parse(new URLSearchParams(search).get("return_to") ?? "")?.searchParams;
	if (!request?.has("client_id")) return undefined;
	return (request.get("ui_locales") ?? "").split(" ").filter((tag) => tag !== "");
}
