import { type ReactNode, useId } from "react";

/** A section of the profile with its heading. */
export function Section({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
	const headingId = useId();
	return (
		<section aria-labelledby={headingId} className="mt-8 border-t border-hair pt-7 md:mt-10 md:pt-9">
			<h2 id={headingId} className="font-display text-2xl leading-tight">
				{title}
			</h2>
			{lead !== undefined && <p className="mt-2 text-quiet">{lead}</p>}
			<div className="mt-5">{children}</div>
		</section>
	);
}
