import type { Member } from "@lango/contracts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "../../dialogs/form-dialog.tsx";
import { errorsOf } from "../../forms/rules.ts";
import { usePlatform } from "../../platform.ts";
import { outletsQuery, tenantAddress } from "../../tenant/tenant.queries.ts";
import { type Grant, GrantFields } from "./grant-fields.tsx";
import { peopleKey } from "./people.queries.ts";
import { isSameSet } from "./same-set.ts";
import { usePeopleTexts } from "./texts.ts";

type MemberDialog = { slug: string; member: Member; onClose: () => void };

/** Changes a member's roles and outlets. Only changes are sent. */
export function MemberDialog({ slug, member, onClose }: MemberDialog) {
	const platform = usePlatform();
	const words = usePeopleTexts();
	const open = useQuery(outletsQuery(platform, slug)).data;
	const before: Grant = { roles: member.roles, outletIds: member.outlet_ids, isHq: member.is_hq };
	const [grant, setGrant] = useState(before);
	const address = `${tenantAddress(platform, slug)}/members/${member.user_id}`;
	const put = (what: "roles" | "outlets", body: object) =>
		platform.client.call(`${address}/${what}`, { method: "PUT", body });
	const save = async () => {
		if (!isSameSet(grant.roles, before.roles)) await put("roles", { roles: grant.roles });
		const isMoved = grant.isHq !== before.isHq || !isSameSet(grant.outletIds, before.outletIds);
		if (!isMoved) return;
		// Outlets that were archived in the meantime are omitted.
		const given = grant.outletIds.filter((id) => open === undefined || open.some((one) => one.id === id));
		await put("outlets", { outlet_ids: grant.isHq ? [] : given, is_hq: grant.isHq });
	};
	return (
		<FormDialog
			title={words.changeTitle(member.name)}
			keptAs={member.user_id}
			confirm={words.save}
			busyText={words.saving}
			messages={words.errors}
			check={() => errorsOf([[grant.roles.length === 0, "roles", words.missingRoles]])}
			action={save}
			invalidates={peopleKey(slug)}
			done={words.saved(member.name)}
			onClose={onClose}
		>
			{(field) => <GrantFields slug={slug} grant={grant} onChange={setGrant} field={field} />}
		</FormDialog>
	);
}
