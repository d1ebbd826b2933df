import { type RefObject, useEffect, useRef } from "react";

/** Whether the component is still mounted, so that a finished request does not leave the page opened since. */
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
