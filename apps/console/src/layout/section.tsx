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

type Card = {
	title: string;
	/** Shown at the end of the heading, for example a link or a badge. */
	aside?: ReactNode;
	className?: string;
	children: ReactNode;
};

/** A framed part of a page. */
export function Card({ title, aside, className = "", children }: Card) {
	const headingId = useId();
	return (
		<section
			aria-labelledby={headingId}
			className={`min-w-0 rounded-xl border border-hair bg-field p-4 sm:p-5 ${className}`}
		>
			<div className="mb-4 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
				<h2 id={headingId} className="font-display text-xl leading-tight">
					{title}
				</h2>
				{aside}
			</div>
			{children}
		</section>
	);
}
