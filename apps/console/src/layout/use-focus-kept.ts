import { type RefObject, useLayoutEffect, useRef } from "react";

/**
 * Returns a ref for a part of a page that disappears by itself. If it has the focus then, the heading of the
 * page gets it: else the keyboard would start again at the top of the document.
 */
export function useFocusKept(): RefObject<HTMLDivElement | null> {
	const part = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		const shown = part.current;
		return () => {
			if (shown?.contains(document.activeElement) === true)
				document.querySelector("h1")?.focus({ preventScroll: true });
		};
	}, []);
	return part;
}
