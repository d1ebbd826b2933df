/** How much of a limit is used. */
export type Level = "free" | "near" | "full";

const nearShare = 0.8;
const fills: Readonly<Record<Level, string>> = { free: "fill-link", near: "fill-ring", full: "fill-error" };
const width = 200;
const height = 10;
const round = 5;

/** The level of a usage. From 80 % it is "near". */
export function levelOf(used: number, limit: number): Level {
	if (used >= limit) return "full";
	return used >= limit * nearShare ? "near" : "free";
}

type Meter = { used: number; limit: number; overage: number };

/**
 * A bar of the usage against its limit. Usage over the limit makes the bar longer than the limit, which a
 * line marks. The bar is decoration: the text beside it has the same information.
 */
export function Meter({ used, limit, overage }: Meter) {
	const whole = Math.max(limit, used + overage, 1);
	const part = (Math.min(used, limit) / whole) * width;
	const mark = (limit / whole) * width;
	const filled = Math.max(used > 0 ? round : 0, part);
	return (
		<svg
			aria-hidden="true"
			viewBox={`0 0 ${width} ${height}`}
			preserveAspectRatio="none"
			className="h-2.5 w-full"
		>
			<rect width={width} height={height} rx={round} className="fill-hair" />
			<rect width={filled} height={height} rx={round} className={fills[levelOf(used + overage, limit)]} />
			{whole > limit && (
				<>
					<rect x={mark} width={width - mark} height={height} rx={round} className="fill-error opacity-60" />
					<rect x={mark - 1} width={2} height={height} className="fill-ink" />
				</>
			)}
		</svg>
	);
}
