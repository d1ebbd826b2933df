import type { ReactNode } from "react";

/** What is known of one thing, each with its word. */
export function Facts({ children }: { children: ReactNode }) {
	return <dl className="grid gap-3">{children}</dl>;
}

export function Fact({ word, children }: { word: string; children: ReactNode }) {
	return (
		<div>
			<dt className="text-sm text-quiet">{word}</dt>
			<dd className="wrap-anywhere">{children}</dd>
		</div>
	);
}
