export type GateState = "closed" | "opening" | "open";

const studRows = [0, 1, 2, 3, 4, 5, 6];
const studColumns = [0, 1, 2];
const petals = Array.from({ length: 13 }, (_, index) => index);
const teeth = Array.from({ length: 13 }, (_, index) => index);
/** The distance of each layer of the frame from the outermost one, and the opacity of its line. */
const layers = [
	{ inset: 0, opacity: 0.35 },
	{ inset: 9, opacity: 0.9 },
	{ inset: 37, opacity: 0.9 },
	{ inset: 45, opacity: 0.4 },
];

/**
 * Draws a carved door, which gives Lango its name. It is slightly open, opens further during a sign-in and
 * fully when the sign-in succeeds. Decoration, hidden from screen readers.
 */
export function Gate({ state, className }: { state: GateState; className?: string }) {
	return (
		<svg
			className={`gate ${className ?? ""}`}
			data-state={state}
			viewBox="40 60 400 640"
			preserveAspectRatio="xMidYMin slice"
			aria-hidden="true"
			focusable="false"
		>
			<Light />
			<Leaf side="left" />
			<Leaf side="right" />
			<Lunette />
			<Frame />
		</svg>
	);
}

/** The light behind the leaves. */
function Light() {
	return (
		<>
			<defs>
				<linearGradient id="daylight" x1="0" y1="0" x2="0" y2="1">
					<stop offset="0" className="gate-light-top" />
					<stop offset="1" className="gate-light-bottom" />
				</linearGradient>
			</defs>
			<rect x="105" y="284" width="270" height="416" fill="url(#daylight)" />
		</>
	);
}

function Leaf({ side }: { side: "left" | "right" }) {
	const left = side === "left" ? 105 : 240;
	return (
		<g className={`gate-leaf gate-leaf-${side}`}>
			<rect x={left} y="284" width="135" height="430" className="gate-wood" />
			<rect x={left + 9} y="293" width="117" height="430" className="gate-line" opacity="0.5" />
			{studRows.map((row) =>
				studColumns.map((column) => (
					<circle
						key={`${row}-${column}`}
						cx={left + 29.5 + column * 38}
						cy={322 + row * 58}
						r="5.5"
						className="gate-stud"
					/>
				)),
			)}
			{side === "left" && <path d="M232 284h16v430h-16z" className="gate-post" />}
		</g>
	);
}

/** The fan above the lintel, and the lintel with its carved teeth. */
function Lunette() {
	return (
		<g>
			<path d="M105 258a135 135 0 0 1 270 0z" className="gate-wood" />
			{petals.map((index) => (
				<path
					key={index}
					d="M240 258c-11-34-15-66 0-118 15 52 11 84 0 118z"
					className="gate-line"
					opacity="0.75"
					transform={`rotate(${-84 + index * 14} 240 258)`}
				/>
			))}
			<path d="M204 258a36 36 0 0 1 72 0z" className="gate-wood-line" />
			<path d="M222 258a18 18 0 0 1 36 0z" className="gate-brass" />
			<rect x="97" y="258" width="286" height="26" className="gate-wood-line" />
			{teeth.map((index) => (
				<path key={index} d={`M${109 + index * 20.2} 264l10 10 10-10`} className="gate-line" opacity="0.8" />
			))}
		</g>
	);
}

function Frame() {
	return (
		<g>
			<path d={arch(23)} className="gate-beads" />
			{layers.map(({ inset, opacity }) => (
				<path key={inset} d={arch(inset)} className="gate-line" opacity={opacity} />
			))}
		</g>
	);
}

/** The path of an arch, inset from the outermost one. */
function arch(inset: number): string {
	const radius = 180 - inset;
	return `M${60 + inset} 720V258a${radius} ${radius} 0 0 1 ${2 * radius} 0V720`;
}
