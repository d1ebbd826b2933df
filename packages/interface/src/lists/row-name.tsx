import type { ReactNode } from "react";

/** What a row of a table is called, with a quieter line below it where there is one to say. */
export function RowName({ detail, children }: { detail: ReactNode; children: ReactNode }) {
	return (
		<>
			{children}
			{detail !== null && (
				<span className="block text-base font-normal wrap-anywhere text-quiet">{detail}</span>
			)}
		</>
	);
}
