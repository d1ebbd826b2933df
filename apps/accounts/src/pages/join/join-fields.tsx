import { SelectField, TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSettings } from "../../settings.ts";
import { tenantQuery } from "../../tenant/tenant.queries.ts";
import { useTexts } from "../../texts/texts.ts";

type JoinFields = {
	validity: (name: string) => { isInvalid: boolean };
	/** The slug in the address; empty without one. */
	slug: string;
};

/** The fields for the tenant to join and the role. Shows the name of the tenant once its slug is entered. */
export function JoinFields({ validity, slug }: JoinFields) {
	const { field, register: words } = useTexts();
	const { authUrl } = useSettings();
	const [entered, setEntered] = useState(slug);
	const { data: tenant } = useQuery(tenantQuery(authUrl, entered));
	const found = tenant === null ? words.noSuchTenant(entered) : tenant && words.joins(tenant.name);
	return (
		<>
			<TextField
				{...validity("tenant_slug")}
				name="tenant_slug"
				label={field.tenant_slug}
				// Two lines in any case: a button that moves below the pointer would not be pressed.
				hint={
					<span aria-live="polite" className="inline-block min-h-12">
						{found ?? field.tenantSlugHint}
					</span>
				}
				autoComplete="off"
				maxLength={63}
				defaultValue={slug}
				onBlur={(event) => setEntered(event.target.value.trim())}
			/>
			<SelectField
				name="requested_role"
				label={field.requested_role}
				options={[
					{ value: "member", label: words.member },
					{ value: "rider", label: words.rider },
				]}
			/>
		</>
	);
}
