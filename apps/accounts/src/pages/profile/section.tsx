import { type ReactNode, useId } from "react";

type Section = {
	title: string;
	lead?: string;
	/** Whether it is left out on paper, because it has controls only. */
	isForScreens?: boolean;
	children: ReactNode;
};

/** A section of the profile with its heading. */
export function Section({ title, lead, isForScreens = false, children }: Section) {
	const headingId = useId();
	return (
		<section
			aria-labelledby={headingId}
			className={`mt-8 border-t border-hair pt-7 md:mt-10 md:pt-9 ${isForScreens ? "print:hidden" : ""}`}
		>
			<h2 id={headingId} className="font-display text-2xl leading-tight">
				{title}
			</h2>
			{lead !== undefined && <p className="mt-2 text-quiet">{lead}</p>}
			<div className="mt-5">{children}</div>
		</section>
	);
}
