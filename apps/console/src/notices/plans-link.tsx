import { Link, useParams } from "@tanstack/react-router";
import { useNoticeTexts } from "./texts.ts";

/** The way from what an expired subscription refused to what mends it (§7). Nothing outside a tenant's pages. */
export function PlansLink() {
	const { slug } = useParams({ strict: false });
	const { renew } = useNoticeTexts();
	if (slug === undefined) return null;
	return (
		<Link to="/$slug/subscribe" params={{ slug }} className="font-semibold underline underline-offset-4">
			{renew}
		</Link>
	);
}
