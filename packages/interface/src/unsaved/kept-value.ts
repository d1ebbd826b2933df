import { useEffect, useState } from "react";
import { forgetKept, readKept, useForgetting, useKeptKey, writeKept } from "./kept-storage.ts";

/**
 * State of a form that its fields do not show, such as its rows: kept in the tab like its entries, under a
 * name, while it is changed. It is forgotten when the form is left. Returns the state, its setter, and
 * whether it was kept.
 */
export function useKeptState<T>(name: string, initial: () => T, isChanged?: (value: T) => boolean) {
	const key = useKeptKey(name);
	const [kept] = useState(() => readKept<T>(key));
	const [value, setValue] = useState(() => kept ?? initial());
	const [first] = useState(value);
	const isWorth = isChanged?.(value) ?? (kept !== undefined || value !== first);
	useEffect(() => {
		if (key === undefined) return;
		if (isWorth) writeKept(key, value);
		else forgetKept(key);
	}, [key, value, isWorth]);
	useForgetting(key);
	return [value, setValue, kept !== undefined] as const;
}

/** Something that is kept but never shown; undefined if there is nothing to keep. */
export type KeptNote<T> = { read: () => T | undefined; write: (noted: T | undefined) => void };

/** A note beside the entries of a form, under a name: it survives a reload, and ends with the form. */
export function useKeptNote<T>(name: string): KeptNote<T> {
	const key = useKeptKey(name);
	const [note] = useState((): KeptNote<T> => {
		let noted = readKept<T>(key);
		return {
			read: () => noted,
			write: (next) => {
				noted = next;
				if (key === undefined) return;
				if (next === undefined) forgetKept(key);
				else writeKept(key, next);
			},
		};
	});
	useForgetting(key);
	return note;
}
