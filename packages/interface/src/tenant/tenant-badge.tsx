import type { PublicTenant } from "@lango/contracts";
import { tenantMark } from "./tenant-mark.ts";

type TenantBadge = {
	tenant: Pick<PublicTenant, "name" | "branding">;
	authUrl: string;
	/** In a bar, beside a name, rather than above a heading. */
	isSmall?: boolean;
};

/** A tenant's logo, or its letter in its colour. Decorative, because the name is shown beside it. */
export function TenantBadge({ tenant, authUrl, isSmall = false }: TenantBadge) {
	const { logo, letter, colours } = tenantMark(tenant, authUrl);
	if (logo !== undefined)
		return (
			<img
				src={logo}
				alt=""
				referrerPolicy="no-referrer"
				className={`object-contain object-left ${isSmall ? "h-9 max-w-28" : "mb-5 h-14 max-w-48"}`}
			/>
		);
	// The small badge may be on a panel and uses the panel's colour if the tenant has none.
	const size = isSmall ? "size-9 shrink-0 border border-panel-quiet text-lg" : "mb-5 size-14 text-2xl";
	return (
		<span
			aria-hidden="true"
			className={`grid place-items-center rounded-t-full rounded-b-md bg-panel pt-1 font-display text-panel-ink ${size}`}
			style={colours && { backgroundColor: colours.background, color: colours.text }}
		>
			{letter}
		</span>
	);
}
