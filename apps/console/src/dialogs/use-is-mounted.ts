import { type RefObject, useEffect, useRef } from "react";

/** Whether the component is still mounted: a request that completes later must not change the page. */
export function useIsMounted(): RefObject<boolean> {
	const isMounted = useRef(false);
	useEffect(() => {
		isMounted.current = true;
		return () => {
			isMounted.current = false;
		};
	}, []);
	return isMounted;
}
