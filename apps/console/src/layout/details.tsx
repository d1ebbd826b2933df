import type { ReactNode } from "react";

/** The attributes of one entity, each with a label. */
export function Details({ children }: { children: ReactNode }) {
	return (
		<dl className="grid grid-cols-[repeat(auto-fill,minmax(min(14rem,100%),1fr))] gap-x-6 gap-y-3">
			{children}
		</dl>
	);
}

export function Detail({ label, children }: { label: ReactNode; children: ReactNode }) {
	return (
		<div>
			<dt className="text-sm text-quiet">{label}</dt>
			<dd className="wrap-anywhere">{children}</dd>
		</div>
	);
}

type Row = readonly [label: string, value: ReactNode];

/** The attributes of one entity as rows. Rows without a value are omitted. */
export function DetailRows({ rows }: { rows: readonly Row[] }) {
	return (
		<dl className="grid gap-x-6 gap-y-1 sm:grid-cols-[auto_1fr]">
			{rows
				.filter(([, value]) => value !== null)
				.map(([label, value]) => (
					<div key={label} className="contents">
						<dt className="text-quiet">{label}</dt>
						<dd className="mb-2 wrap-anywhere sm:mb-0">{value}</dd>
					</div>
				))}
		</dl>
	);
}
