import { type RefObject, useEffect, useRef } from "react";

/** Whether the page that asked is still open: only who is there is taken on to another. */
export function useIsThere(): RefObject<boolean> {
	const isThere = useRef(false);
	useEffect(() => {
		isThere.current = true;
		return () => {
			isThere.current = false;
		};
	}, []);
	return isThere;
}
