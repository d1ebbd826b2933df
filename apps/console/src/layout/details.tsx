import type { ReactNode } from "react";

/** The attributes of one entity, each with a label. */
export function Details({ children }: { children: ReactNode }) {
	return (
		<dl className="grid grid-cols-[repeat(auto-fill,minmax(min(14rem,100%),1fr))] gap-x-6 gap-y-3">
			{children}
		</dl>
	);
}

export function Detail({ word, children }: { word: string; children: ReactNode }) {
	return (
		<div>
			<dt className="text-sm text-quiet">{word}</dt>
			<dd className="wrap-anywhere">{children}</dd>
		</div>
	);
}
