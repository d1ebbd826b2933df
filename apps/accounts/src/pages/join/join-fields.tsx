import { SelectField, TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSettings } from "../../settings.ts";
import { tenantQuery } from "../../tenant/tenant.queries.ts";
import { useTexts } from "../../texts/texts.ts";

type JoinFields = {
	faulty: (name: string) => { isFaulty: boolean };
	/** The tenant the address names; empty when it names none. */
	slug: string;
};

/** Which tenant to join, and as what. Its name is shown as soon as the short name has been typed. */
export function JoinFields({ faulty, slug }: JoinFields) {
	const { field, register: words } = useTexts();
	const { authUrl } = useSettings();
	const [asked, setAsked] = useState(slug);
	const { data: tenant } = useQuery(tenantQuery(authUrl, asked));
	const found = tenant === null ? words.noSuchTenant(asked) : tenant && words.joins(tenant.name);
	return (
		<>
			<TextField
				{...faulty("tenant_slug")}
				name="tenant_slug"
				label={field.tenant_slug}
				hint={<span aria-live="polite">{found ?? field.tenantSlugHint}</span>}
				autoComplete="off"
				maxLength={63}
				defaultValue={slug}
				onBlur={(event) => setAsked(event.target.value.trim())}
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
