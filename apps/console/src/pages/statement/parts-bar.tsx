import type { ReactNode } from "react";
import { placeParts } from "./place-parts.ts";

/** The colours of parts, in a bar and beside their names. */
const looks = {
	done: { fill: "fill-done", box: "bg-done" },
	plain: { fill: "fill-ring", box: "bg-ring" },
	link: { fill: "fill-link", box: "bg-link" },
	warning: { fill: "fill-warning", box: "bg-warning" },
	error: { fill: "fill-error", box: "bg-error" },
} as const;

export type PartLook = keyof typeof looks;
type Part = { name: string; value: number; look: PartLook };

/**
 * The parts of a sum, side by side. It is decoration: the names have the numbers. `isInRow`: a thin one
 * below a name in a table.
 */
export function PartsBar({ parts, isInRow = false }: { parts: readonly Part[]; isInRow?: boolean }) {
	const placed = placeParts(parts);
	if (placed.length === 0) return null;
	return (
		<svg
			aria-hidden="true"
			viewBox="0 0 100 4"
			preserveAspectRatio="none"
			className={`block w-full rounded-md bg-hair ${isInRow ? "mt-1.5 h-1.5" : "mb-5 h-4"}`}
		>
			{placed.map(({ name, look, x, width }) => (
				<rect key={name} {...{ x, width }} height={4} className={looks[look].fill} />
			))}
		</svg>
	);
}

/** The name of a part, beside its colour. */
export function PartName({ look, children }: { look: PartLook; children: ReactNode }) {
	return (
		<>
			<span aria-hidden="true" className={`mr-2 inline-block size-3 rounded-xs ${looks[look].box}`} />
			{children}
		</>
	);
}
