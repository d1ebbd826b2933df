import type { PublicTenant } from "@lango/contracts";
import { tenantMark } from "./tenant-mark.ts";

type TenantBadge = { tenant: Pick<PublicTenant, "name" | "branding">; authUrl: string };

/** A tenant's logo, or its letter in its colour. The name stands in the heading, so this is decoration. */
export function TenantBadge({ tenant, authUrl }: TenantBadge) {
	const { logo, letter, colours } = tenantMark(tenant, authUrl);
	if (logo !== undefined)
		return (
			<img
				src={logo}
				alt=""
				referrerPolicy="no-referrer"
				className="mb-5 h-14 max-w-48 object-contain object-left"
			/>
		);
	return (
		<span
			aria-hidden="true"
			className="mb-5 grid size-14 place-items-center rounded-t-full rounded-b-md bg-panel pt-1 font-display text-2xl text-panel-ink"
			style={colours && { backgroundColor: colours.background, color: colours.text }}
		>
			{letter}
		</span>
	);
}
