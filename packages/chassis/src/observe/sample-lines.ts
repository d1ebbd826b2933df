const windowMs = 60_000;
/**
 * Reasons counted at the same time. Reasons come from the code; the bound holds if one ever contains what a
 * caller sent.
 */
const reasonsMax = 100;

/** What was logged and suppressed of one reason in the current minute. */
type Window = { endsAt: number; lines: number; suppressed: number };

/**
 * Limits the lines of a log to so many per minute and reason. Returns what the line says of those
 * suppressed before it, or undefined where the line itself is suppressed. `clock` is in milliseconds.
 */
export function sampleLines(clock: () => number = () => performance.now()) {
	const windows = new Map<string, Window>();
	const current = (reason: string): { window: Window; suppressed: number } => {
		const known = windows.get(reason);
		if (known !== undefined && clock() < known.endsAt) return { window: known, suppressed: 0 };
		if (known === undefined && windows.size >= reasonsMax) windows.clear();
		const window = { endsAt: clock() + windowMs, lines: 0, suppressed: 0 };
		windows.set(reason, window);
		return { window, suppressed: known?.suppressed ?? 0 };
	};
	return (reason: string, most: number): { suppressed?: number } | undefined => {
		const { window, suppressed } = current(reason);
		if (window.lines >= most) {
			window.suppressed += 1;
			return undefined;
		}
		window.lines += 1;
		return suppressed > 0 ? { suppressed } : {};
	};
}
