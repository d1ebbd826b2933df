import { useEffect, useState } from "react";

const restMilliseconds = 400;

/** Returns a value once it has not changed for a moment. `key` is the value as text. */
export function useSettled<T>(value: T, key: string): T {
	const [settled, setSettled] = useState({ value, key });
	useEffect(() => {
		if (settled.key === key) return;
		const timer = setTimeout(() => setSettled({ value, key }), restMilliseconds);
		return () => clearTimeout(timer);
	}, [value, key, settled.key]);
	return settled.value;
}
