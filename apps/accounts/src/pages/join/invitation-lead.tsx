import type { GlobalRole, InvitationPreview } from "@lango/contracts";
import { formatTime, useLanguage } from "@lango/interface";
import { useZone } from "../../tenant/use-zone.ts";
import { useTexts } from "../../texts/texts.ts";

/** The inviter, the organisation and the roles of an invitation, and until when it can be accepted. */
export function InvitationLead({ invitation }: { invitation: InvitationPreview }) {
	const { tenant_name, tenant_slug, invited_by, roles, expires_at } = invitation;
	const { invitation: words, profile } = useTexts();
	const language = useLanguage();
	const timeZone = useZone(tenant_slug);
	const names = roles.map((role) => profile.roleNames[role as GlobalRole] ?? role);
	const listed = new Intl.ListFormat(language, { type: "conjunction" }).format(names);
	return (
		<>
			<p className="mt-4 text-lg wrap-anywhere">
				{words.lead({ inviter: invited_by ?? words.someone, tenant: tenant_name, roles: listed })}
			</p>
			<p className="mt-2 text-quiet">
				{words.until(formatTime(new Date(expires_at), { language, timeZone }))}
			</p>
		</>
	);
}
