import { buttonLook } from "@lango/interface";
import { Link, useParams } from "@tanstack/react-router";
import type { JournalSource } from "./journal.queries.ts";
import { useJournalTexts } from "./texts.ts";

/** A link to what is in the books for something. It is on pages of the platform owner. */
export function JournalsLink({ source }: { source: JournalSource }) {
	const { slug = "" } = useParams({ strict: false });
	return (
		<Link to="/$slug/platform/journals" params={{ slug }} search={source} className={buttonLook("quiet")}>
			{useJournalTexts().open}
		</Link>
	);
}
