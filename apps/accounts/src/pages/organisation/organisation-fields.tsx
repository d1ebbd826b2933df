import type { OutletUseCase } from "@lango/contracts";
import { SelectField, TextField } from "@lango/interface";
import { useState } from "react";
import { useTexts } from "../../texts/texts.ts";
import type { Entered } from "../form/entered.ts";
import { suggestSlug } from "./slug.ts";

/** The fields of a new tenant. The slug is suggested from the name until the person enters one. */
export function OrganisationFields({ validity }: { validity: (name: string) => { isInvalid: boolean } }) {
	const { field, useCases, sizes } = useTexts();
	const [slug, setSlug] = useState("");
	const [isTyped, setTyped] = useState(false);
	return (
		<>
			<TextField
				{...validity("organization_name")}
				name="organization_name"
				label={field.organization_name}
				autoComplete="organization"
				isProse
				maxLength={200}
				onChange={(event) => !isTyped && setSlug(suggestSlug(event.target.value))}
			/>
			<TextField
				{...validity("slug")}
				name="slug"
				label={field.slug}
				hint={field.slugHint}
				autoComplete="off"
				maxLength={63}
				value={slug}
				onChange={(event) => {
					setTyped(event.target.value !== "");
					setSlug(event.target.value.toLowerCase());
				}}
			/>
			<SelectField name="use_case" label={field.use_case} options={toOptions(useCases)} />
			<SelectField name="org_size" label={field.org_size} options={toOptions(sizes)} />
		</>
	);
}

/** Converts the form to the request body of the sign-on service. */
export function toOrganization(entered: Entered) {
	return {
		name: entered.organization_name ?? "",
		slug: entered.slug ?? "",
		org_size: entered.org_size ?? "",
		use_case: entered.use_case as OutletUseCase,
	};
}

function toOptions(words: Readonly<Record<string, string>>) {
	return Object.entries(words).map(([value, label]) => ({ value, label }));
}
