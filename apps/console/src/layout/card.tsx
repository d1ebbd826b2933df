import { type ReactNode, useId } from "react";

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
