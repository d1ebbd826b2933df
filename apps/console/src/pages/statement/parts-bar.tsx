import type { ReactNode } from "react";

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
 * The parts of a sum, side by side. It is decoration: the names have the numbers. Parts of 0 or less are
 * left out.
 */
export function PartsBar({ parts }: { parts: readonly Part[] }) {
	const shown = parts.filter(({ value }) => value > 0);
	const sumOf = (some: readonly Part[]) => some.reduce((sum, { value }) => sum + value, 0);
	const sum = sumOf(shown);
	if (sum === 0) return null;
	return (
		<svg
			aria-hidden="true"
			viewBox="0 0 100 4"
			preserveAspectRatio="none"
			className="mb-5 block h-4 w-full rounded-md bg-hair"
		>
			{shown.map(({ name, value, look }, index) => (
				<rect
					key={name}
					x={(sumOf(shown.slice(0, index)) / sum) * 100}
					width={(value / sum) * 100}
					height={4}
					className={looks[look].fill}
				/>
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
