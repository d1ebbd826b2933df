import { useEffect, useRef } from "react";

const doubleClickMilliseconds = 500;

/** A double click sends once: its second click may come before the request has made the form busy. */
export function useSending(isBusy: boolean) {
	const begun = useRef(0);
	useEffect(() => {
		if (!isBusy) begun.current = 0;
	}, [isBusy]);
	return {
		isBegun: () => Date.now() - begun.current < doubleClickMilliseconds,
		begin: () => {
			begun.current = Date.now();
		},
	};
}
