import { type ReactNode, useId } from "react";

/** A part of a page with its own heading. `actions` are shown beside the heading. */
export function Section({
	title,
	lead,
	actions,
	children,
}: {
	title: string;
	lead?: ReactNode;
	actions?: ReactNode;
	children: ReactNode;
}) {
	const headingId = useId();
	return (
		<section aria-labelledby={headingId} className="mt-9 first:mt-0">
			<div className="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
				<div>
					<h2 id={headingId} className="font-display text-xl leading-tight sm:text-2xl">
						{title}
					</h2>
					{lead !== undefined && <p className="mt-1 text-quiet">{lead}</p>}
				</div>
				{actions}
			</div>
			{children}
		</section>
	);
}
