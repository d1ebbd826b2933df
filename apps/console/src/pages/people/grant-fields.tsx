import { useProfile } from "@lango/client/react";
import type { GlobalRole, PublicOutlet } from "@lango/contracts";
import { useQuery } from "@tanstack/react-query";
import { CheckField } from "../../fields/check-field.tsx";
import { CheckList } from "../../fields/check-list.tsx";
import type { Field } from "../../forms/submit-form.tsx";
import { usePlatform } from "../../platform.ts";
import { useRoleTexts } from "../../roles/texts.ts";
import { outletsQuery } from "../../tenant/tenant.queries.ts";
import { useTexts } from "../../texts/texts.ts";
import { usePeopleTexts } from "./texts.ts";

/** The roles and outlets of a member. */
export type Grant = { roles: readonly string[]; outletIds: readonly string[]; isHq: boolean };

type GrantFields = {
	slug: string;
	grant: Grant;
	onChange: (grant: Grant) => void;
	field: Field;
};

const none: readonly PublicOutlet[] = [];

/** Selects roles, headquarters and outlets. */
export function GrantFields({ slug, grant, onChange, field }: GrantFields) {
	const words = usePeopleTexts();
	const { roles, details } = useRoleTexts();
	const { useCases } = useTexts();
	const profile = useProfile();
	const outlets = useQuery(outletsQuery(usePlatform(), slug)).data ?? none;
	const isPlatform = profile?.isPlatformOwner === true && profile.tenantSlug === slug;
	const places = outlets.filter(
		(one) => !one.is_hq || outlets.length === 1 || grant.outletIds.includes(one.id),
	);
	const offered = (Object.keys(roles) as GlobalRole[]).filter((role) => role !== "superuser" || isPlatform);
	return (
		<>
			<CheckList
				{...field("roles")}
				legend={words.roles}
				choices={offered.map((role) => ({ value: role, label: roles[role], detail: details[role] }))}
				chosen={grant.roles}
				onChange={(chosen) => onChange({ ...grant, roles: chosen })}
			/>
			<CheckField
				{...field("is_hq")}
				label={words.isHq}
				hint={words.isHqHint}
				isChecked={grant.isHq}
				onChange={(isHq) => onChange({ ...grant, isHq })}
			/>
			{!grant.isHq && places.length > 0 && (
				<CheckList
					{...field("outlet_ids")}
					legend={words.outlets}
					hint={words.outletsHint}
					choices={places.map(({ id, name, use_case }) => ({
						value: id,
						label: name,
						detail: useCases[use_case],
					}))}
					chosen={grant.outletIds}
					onChange={(outletIds) => onChange({ ...grant, outletIds })}
				/>
			)}
		</>
	);
}
