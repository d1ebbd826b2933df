import { Link, useParams } from "@tanstack/react-router";
import { useNoticeTexts } from "./texts.ts";

/**
 * A link to the plans, after a request was refused because of the subscription (§7). Empty outside of a
 * tenant's pages.
 */
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
