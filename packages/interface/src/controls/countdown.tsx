import { useEffect, useState } from "react";
import { useWords } from "../texts/words.ts";

/**
 * The time until something may be tried again, in words. Screen readers are not interrupted by every second,
 * only when it is over.
 */
export function Countdown({ seconds }: { seconds: number }) {
	const words = useWords();
	const left = useSecondsLeft(seconds);
	return (
		<span role="timer" aria-live={left === 0 ? "polite" : "off"} className="tabular-nums">
			{left === 0 ? words.retryNow : words.retryIn(durationText(left, words))}
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

type DurationWords = Pick<ReturnType<typeof useWords>, "seconds" | "minutes">;

/** A time to wait in words: in minutes, rounded up, and in seconds in the last minute. */
export const durationText = (seconds: number, { seconds: inSeconds, minutes }: DurationWords): string =>
	seconds < 60 ? inSeconds(Math.max(1, seconds)) : minutes(Math.ceil(seconds / 60));
