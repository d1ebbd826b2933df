import { PasswordField, SelectField, TextAreaField, TextField } from "@lango/interface";
import type { Field } from "../../forms/submit-form.tsx";
import { type CredentialName, credentialsOf, encryptions, fieldOf, type KindName } from "./provider-kinds.ts";
import { useProviderTexts } from "./texts.ts";

type CredentialFields = {
	kind: KindName;
	isNew: boolean;
	/** The platform owner may leave a connection in the platform's own network unencrypted. */
	isPlatform: boolean;
	field: Field;
};

/** The credentials of a kind of provider. Stored ones are never shown. */
export function CredentialFields({ kind, isNew, isPlatform, field }: CredentialFields) {
	const words = useProviderTexts();
	return (
		<fieldset className="mt-5 min-w-0 rounded-lg border border-hair px-4 pb-4">
			<legend className="px-1 font-semibold">{words.credentialsLegend}</legend>
			<p className="text-quiet">{isNew ? words.credentialsHint : words.credentialsKept}</p>
			{credentialsOf(kind, { isPlatform }).map((entry) => (
				<CredentialField
					key={entry.name}
					name={entry.name}
					type={entry.kind}
					isOptional={!isNew || entry.isOptional === true}
					field={field}
				/>
			))}
			{kind === "smtp" && (
				<SelectField
					{...field(fieldOf("encryption"))}
					label={words.encryption}
					options={encryptions
						.filter((value) => isPlatform || value !== "none")
						.map((value) => ({ value, label: words.encryptions[value] }))}
				/>
			)}
		</fieldset>
	);
}

type CredentialField = {
	name: CredentialName;
	type: "text" | "secret" | "lines" | "port";
	isOptional: boolean;
	field: Field;
};

function CredentialField({ name, type, isOptional, field }: CredentialField) {
	const words = useProviderTexts();
	const hints: Readonly<Partial<Record<CredentialName, string>>> = words.credentialHints;
	const common = { ...field(fieldOf(name)), label: words.credentials[name], hint: hints[name], isOptional };
	if (type === "lines") return <TextAreaField {...common} isSecret maxLength={16_384} />;
	if (type === "secret") return <PasswordField {...common} autoComplete="new-password" maxLength={1_024} />;
	return (
		<TextField
			{...common}
			autoComplete="off"
			inputMode={type === "port" ? "numeric" : undefined}
			maxLength={type === "port" ? 5 : 320}
		/>
	);
}
