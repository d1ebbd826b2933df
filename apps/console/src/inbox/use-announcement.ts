import { useEffect, useRef, useState } from "react";

const settleMilliseconds = 1_000;

/**
 * A text for screen readers when a count has risen, one for all items that arrive within a second. Empty
 * for the first count.
 */
export function useAnnouncement(count: number | undefined, textOf: (count: number) => string): string {
	const announced = useRef<number>(undefined);
	const [risen, setRisen] = useState(0);
	useEffect(() => {
		if (count === undefined) return;
		if (announced.current === undefined || count <= announced.current) {
			announced.current = count;
			if (count === 0) setRisen(0);
			return;
		}
		const settling = setTimeout(() => {
			announced.current = count;
			setRisen(count);
		}, settleMilliseconds);
		return () => clearTimeout(settling);
	}, [count]);
	return risen === 0 ? "" : textOf(risen);
}
