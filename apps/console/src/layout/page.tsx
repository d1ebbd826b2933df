import { PageHeading } from "@lango/interface";
import type { ReactNode } from "react";
import { useTexts } from "../texts/texts.ts";

type Page = {
	title: string;
	/** One sentence on what the page is for. */
	lead?: ReactNode;
	/** Beside the heading: the page's one action. */
	actions?: ReactNode;
	children: ReactNode;
};

/** A page within the frame: its heading takes the focus when it is opened, so that it is read from its beginning. */
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
			{children}
		</>
	);
}
