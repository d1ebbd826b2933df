import { PageHeading } from "@lango/interface";
import type { ReactNode } from "react";
import { HasHeading } from "../notices/has-heading.ts";
import { useTexts } from "../texts/texts.ts";

type Page = {
	title: string;
	/** One sentence about the purpose of the page. */
	lead?: ReactNode;
	/** Shown beside the heading: the main action of the page. */
	actions?: ReactNode;
	children: ReactNode;
};

/** A page within the layout. Its heading gets the focus, so that a screen reader starts there. */
export function Page({ title, lead, actions, children }: Page) {
	const texts = useTexts();
	return (
		<>
			<div className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
				<div className="min-w-0">
					<PageHeading documentTitle={texts.title(title)} announce>
						{title}
					</PageHeading>
					{lead !== undefined && <p className="mt-2 max-w-prose text-quiet">{lead}</p>}
				</div>
				{actions}
			</div>
			<HasHeading value={true}>{children}</HasHeading>
		</>
	);
}
