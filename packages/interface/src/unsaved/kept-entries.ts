import { type FormEvent, type RefObject, useEffect, useRef } from "react";
import { forgetKept, type Kept, readKept, useForgetting, useKeptKey, writeKept } from "./kept-storage.ts";

type Entry = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

type Attempt = {
	/** Whether the form is on its way, and why the last attempt failed. */
	isBusy: boolean;
	failure: unknown;
	/** Whether the entries stay when the form is left: for pages that do not ask before they are left. */
	staysWhenLeft?: boolean;
};

/**
 * Keeps what was changed in a form in the tab, so that a reload or a sign-in in between does not lose it. It
 * is restored when the form of that name is shown again on its page, and forgotten when it is saved or left.
 * Secrets and files are never kept. Without a name nothing is. Call the returned function after each entry.
 */
export function useKeptEntries(
	form: RefObject<HTMLFormElement | null>,
	name: string | undefined,
	{ isBusy, failure, staysWhenLeft = false }: Attempt,
): (event: FormEvent) => void {
	const key = useKeptKey(name);
	const wasBusy = useRef(false);
	const missing = useRef(new Map<string, string | boolean>());
	/** What the form has without the entries: a field that is not changed is not kept. */
	const first = useRef<Kept>({});
	const writing = useRef<ReturnType<typeof setTimeout>>(undefined);
	// What is on its way when it is left is forgotten when it is saved.
	useForgetting(key, () => staysWhenLeft && !wasBusy.current);
	useEffect(() => {
		if (key === undefined || form.current === null) return;
		first.current = entriesOf(form.current);
		missing.current = new Map(Object.entries(readKept<Kept>(key) ?? {}));
		return refill(form.current, missing.current);
	}, [form, key]);
	useEffect(() => {
		const isSaved = wasBusy.current && !isBusy && (failure === null || failure === undefined);
		wasBusy.current = isBusy;
		if (!isSaved || key === undefined) return;
		forgetKept(key);
		missing.current.clear();
		if (form.current !== null) first.current = entriesOf(form.current);
	}, [form, key, isBusy, failure]);
	return ({ nativeEvent, target }) => {
		// What a person enters replaces what was kept for a field that was not shown.
		if (nativeEvent.isTrusted) settle(missing.current, target);
		clearTimeout(writing.current);
		// After the render that follows an entry: it may change another field.
		writing.current = setTimeout(() => {
			if (key === undefined || form.current === null) return;
			const changed = Object.entries(entriesOf(form.current)).filter(
				([field, value]) => first.current[field] !== value,
			);
			writeKept(key, Object.fromEntries([...missing.current, ...changed]));
		});
	};
}

/**
 * Enters what was kept, field by field: the form is rendered between two entries, and an entry may show
 * further fields or load their options. What has no field yet waits for it. Returns what ends it.
 */
function refill(form: HTMLFormElement, missing: Map<string, string | boolean>): () => void {
	let isStopped = false;
	let timer: ReturnType<typeof setTimeout> | undefined;
	const fill = async () => {
		for (const field of fieldsOf(form)) {
			const value = missing.get(nameOf(field));
			if (isStopped || !field.isConnected || !canTake(field, value)) continue;
			missing.delete(nameOf(field));
			// React renders what an entry changes in a microtask.
			if (value !== entryOf(field)) await Promise.resolve(enter(field, value));
		}
	};
	const later = () => {
		clearTimeout(timer);
		if (missing.size > 0) timer = setTimeout(() => void fill());
	};
	const observer = new MutationObserver(later);
	if (missing.size > 0) observer.observe(form, { childList: true, subtree: true });
	later();
	return () => {
		isStopped = true;
		clearTimeout(timer);
		observer.disconnect();
	};
}

/** Removes what waits for the field, or for another choice of its group. */
function settle(missing: Map<string, string | boolean>, field: EventTarget): void {
	if (field instanceof HTMLInputElement && field.type === "radio") {
		for (const name of missing.keys()) if (name.startsWith(`${field.name}=`)) missing.delete(name);
	} else if (isEntry(field)) missing.delete(nameOf(field));
}

function canTake(field: Entry, value: string | boolean | undefined): boolean {
	if (!(field instanceof HTMLSelectElement)) return value !== undefined;
	return [...field.options].some((option) => option.value === value);
}

const entriesOf = (form: HTMLFormElement): Kept =>
	Object.fromEntries(fieldsOf(form).map((field) => [nameOf(field), entryOf(field)]));

/** Secrets are marked, because a password that is shown is text. Hidden fields are not entered. */
const fieldsOf = (form: HTMLFormElement): Entry[] =>
	[...form.elements].filter(
		(field): field is Entry =>
			isEntry(field) &&
			field.name !== "" &&
			!field.hasAttribute("data-secret") &&
			field.autocomplete !== "one-time-code" &&
			!["password", "file", "hidden"].includes(field.type),
	);

const isEntry = (field: EventTarget): field is Entry =>
	field instanceof HTMLInputElement ||
	field instanceof HTMLTextAreaElement ||
	field instanceof HTMLSelectElement;
const isBox = (field: Entry): field is HTMLInputElement => ["checkbox", "radio"].includes(field.type);
const nameOf = (field: Entry) => (isBox(field) ? `${field.name}=${field.value}` : field.name);
const entryOf = (field: Entry) => (isBox(field) ? field.checked : field.value);

/**
 * Enters a value as a person does who then leaves the field. React learns of it by the events, because its
 * own setter is avoided.
 */
function enter(field: Entry, value: string | boolean | undefined): void {
	if (isBox(field)) {
		field.click();
		return;
	}
	const prototype = Object.getPrototypeOf(field);
	Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, value);
	for (const kind of ["input", "change", "focusout"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
}
