import { useEffect, useState } from "react";
import { useWords } from "../texts/words.ts";

/**
 * The time until something may be tried again. Screen readers are not interrupted by every second, only when
 * it is over.
 */
export function Countdown({ seconds }: { seconds: number }) {
	const words = useWords();
	const left = useSecondsLeft(seconds);
	return (
		<span role="timer" aria-live={left === 0 ? "polite" : "off"} className="tabular-nums">
			{left === 0 ? words.retryNow : words.retryIn(clockText(left))}
		</span>
	);
}

function useSecondsLeft(seconds: number): number {
	const [end] = useState(() => Date.now() + seconds * 1_000);
	const [now, setNow] = useState(() => Date.now());
	const isOver = now >= end;
	useEffect(() => {
		if (isOver) return;
		const timer = setInterval(() => setNow(Date.now()), 1_000);
		return () => clearInterval(timer);
	}, [isOver]);
	return Math.max(0, Math.ceil((end - now) / 1_000));
}

/** Seconds as minutes and seconds: 90 is "1:30". */
export const clockText = (seconds: number): string =>
	`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
