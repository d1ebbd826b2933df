import type { AdminClient } from "@lango/contracts";
import { ChecksField, SelectField, TextAreaField, TextField } from "@lango/interface";
import { linesOf, textOf, textsOf } from "../../forms/form-data.ts";
import type { Field } from "../../forms/submit-form.tsx";
import { useClientTexts } from "./texts.ts";

/**
 * Scopes of a sign-in, preselected for a new application; then those about the user's tenant. All others
 * are permissions of programs.
 */
const identityScopes = ["openid", "profile", "email", "offline_access"] as const;
const standardScopes = [...identityScopes, "tenant", "roles", "lango.api"] as const;
const isStandard = (scope: string) => (standardScopes as readonly string[]).includes(scope);

type ClientFacts = Pick<
	AdminClient,
	| "name"
	| "redirect_uris"
	| "post_logout_redirect_uris"
	| "scopes"
	| "pkce_required"
	| "id_token_algorithm"
	| "id_token_at_refresh"
	| "first_party"
>;

type ClientFields = {
	/** The current values; undefined for a new application. */
	now?: ClientFacts | undefined;
	isPublic: boolean;
	field: Field;
};

/** The fields that can be changed after the registration. */
export function ClientFields({ now, isPublic, field }: ClientFields) {
	const words = useClientTexts();
	const further = now?.scopes.filter((scope) => !isStandard(scope)) ?? [];
	const scopes = standardScopes.map((value) => ({ value, label: value, detail: words.scopes[value] }));
	return (
		<>
			<TextField {...field("name")} label={words.name} defaultValue={now?.name} maxLength={200} isProse />
			<TextAreaField
				{...field("redirect_uris")}
				label={words.redirectUris}
				hint={isPublic ? words.redirectHint : `${words.redirectHint} ${words.redirectOptional}`}
				defaultValue={now?.redirect_uris.join("\n")}
				isOptional={!isPublic}
			/>
			<TextAreaField
				{...field("post_logout_redirect_uris")}
				label={words.logoutUris}
				hint={words.logoutHint}
				defaultValue={now?.post_logout_redirect_uris.join("\n")}
				rows={2}
				isOptional
			/>
			<ChecksField
				{...field("scopes")}
				legend={words.scopesLegend}
				choices={scopes}
				checked={now?.scopes ?? identityScopes}
			/>
			<ChecksField
				{...field("first_party")}
				legend={words.authority}
				choices={[{ value: "yes", label: words.firstParty, detail: words.firstPartyHint }]}
				checked={now?.first_party === true ? ["yes"] : []}
			/>
			{!isPublic && (
				<>
					<TextAreaField
						{...field("scopes")}
						name="permissions"
						label={words.permissions}
						hint={words.permissionsHint}
						defaultValue={further.join("\n")}
						rows={2}
						isOptional
					/>
					<ChecksField
						{...field("pkce_required")}
						legend={words.pkce}
						choices={[{ value: "yes", label: words.pkceRequired, detail: words.pkceHint }]}
						checked={now?.pkce_required === false ? [] : ["yes"]}
					/>
				</>
			)}
			<IdTokenFields now={now} field={field} />
		</>
	);
}

/** The signature of ID tokens, and whether a refresh returns one. */
function IdTokenFields({ now, field }: Pick<ClientFields, "now" | "field">) {
	const words = useClientTexts();
	return (
		<>
			<SelectField
				{...field("id_token_algorithm")}
				label={words.algorithm}
				hint={words.algorithmHint}
				defaultValue={now?.id_token_algorithm ?? "RS256"}
				options={[
					{ value: "RS256", label: "RS256" },
					{ value: "ES256", label: "ES256" },
				]}
			/>
			<ChecksField
				{...field("id_token_at_refresh")}
				legend={words.refreshes}
				choices={[{ value: "yes", label: words.idTokenAtRefresh, detail: words.idTokenAtRefreshHint }]}
				checked={now?.id_token_at_refresh === false ? [] : ["yes"]}
			/>
		</>
	);
}

/** Reads the form into the request of the sign-on service. */
export function readClient(entered: FormData, isPublic: boolean) {
	return {
		name: textOf(entered, "name"),
		redirect_uris: linesOf(entered, "redirect_uris"),
		post_logout_redirect_uris: linesOf(entered, "post_logout_redirect_uris"),
		scopes: [...new Set([...textsOf(entered, "scopes"), ...linesOf(entered, "permissions")])],
		pkce_required: isPublic || textsOf(entered, "pkce_required").length > 0,
		id_token_algorithm:
			textOf(entered, "id_token_algorithm") === "ES256" ? ("ES256" as const) : ("RS256" as const),
		id_token_at_refresh: textsOf(entered, "id_token_at_refresh").length > 0,
		first_party: textsOf(entered, "first_party").length > 0,
	};
}
