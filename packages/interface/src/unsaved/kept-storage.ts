import { useEffect, useEffectEvent, useRef, useState } from "react";
import { whenSaved } from "./sending.ts";

/** The values of the fields by name; of a box, by name and value, whether it is checked. */
export type Kept = Readonly<Record<string, string | boolean>>;

const prefix = "lango-entries:";
let owner: string | undefined;

/** Says for which person entries are kept from now on: another one in this tab does not see them. */
export function keepEntriesFor(person: string): void {
	owner = person;
}

/** Where the entries of a form of this page are kept; undefined if they are not. */
export function useKeptKey(form: string | undefined): string | undefined {
	const [key] = useState(() =>
		owner === undefined || form === undefined ? undefined : `${prefix}${owner}:${location.pathname}:${form}`,
	);
	return key;
}

/** What is kept under a key; undefined if nothing is. */
export function readKept<T>(key: string | undefined): T | undefined {
	if (key === undefined) return undefined;
	return withStorage((tab) => JSON.parse(tab.getItem(key) ?? "null") as T | null) ?? undefined;
}

/** Keeps it in this tab, also over a reload. */
export function writeKept(key: string, kept: unknown): void {
	withStorage((tab) => tab.setItem(key, JSON.stringify(kept)));
}

/** Forgets what is kept under a key. */
export function forgetKept(key: string): void {
	withStorage((tab) => tab.removeItem(key));
}

/**
 * Forgets what is kept under a key when the form is left, unless it stays; if something is on its way, when
 * that is saved. In development React leaves and shows every form once at first (StrictMode): what that
 * forgets is kept again.
 */
export function useForgetting(key: string | undefined, stays = () => false): void {
	const forgotten = useRef<unknown>(undefined);
	const leave = useEffectEvent((left: string) => {
		if (stays()) return;
		forgotten.current = readKept(left);
		if (forgotten.current !== undefined) whenSaved(() => forgetKept(left));
	});
	useEffect(() => {
		if (key === undefined) return;
		if (forgotten.current !== undefined) writeKept(key, forgotten.current);
		return () => leave(key);
	}, [key]);
}

/** Forgets all entries that are kept in this tab: the next person must not see them. */
export function forgetAllKept(): void {
	withStorage((tab) => {
		for (const key of Object.keys(tab)) if (key.startsWith(prefix)) tab.removeItem(key);
	});
}

/** Undefined if the browser refuses storage: nothing is kept then. */
function withStorage<T>(access: (tab: Storage) => T): T | undefined {
	try {
		return access(sessionStorage);
	} catch {
		return undefined;
	}
}
