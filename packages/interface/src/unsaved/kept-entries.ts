import { type RefObject, useEffect, useRef } from "react";

type Entry = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

type Attempt = {
	/** Whether the form is on its way, and why the last attempt failed. */
	isBusy: boolean;
	failure: unknown;
	/** Whether the entries stay when the form is left: for pages that do not ask before they are left. */
	staysWhenLeft?: boolean;
};

/**
 * Keeps the entries of a form in the tab under a key, so that a reload or a sign-in in between does not lose
 * them. They are restored when the form is shown again, and forgotten when it is saved or left. Passwords and
 * files are never kept. Without a key nothing is. Call the returned function after each entry.
 */
export function useKeptEntries(
	form: RefObject<HTMLFormElement | null>,
	key: string | undefined,
	{ isBusy, failure, staysWhenLeft = false }: Attempt,
): () => void {
	const wasBusy = useRef(false);
	useEffect(() => {
		if (key === undefined) return;
		const kept = read(key);
		restore(form.current, kept);
		// A choice that was restored may show further fields.
		const further = requestAnimationFrame(() => restore(form.current, kept));
		return () => {
			cancelAnimationFrame(further);
			// A form that is on its way when it is left was saved: a failure would have ended that before.
			if (!staysWhenLeft || wasBusy.current) forget(key);
		};
	}, [form, key, staysWhenLeft]);
	useEffect(() => {
		const isSaved = wasBusy.current && !isBusy && (failure === null || failure === undefined);
		wasBusy.current = isBusy;
		if (isSaved && key !== undefined) forget(key);
	}, [key, isBusy, failure]);
	return () => {
		// After the render that follows an entry: it may change another field.
		setTimeout(() => {
			if (key !== undefined && form.current !== null) write(key, entriesOf(form.current));
		});
	};
}

type Kept = Readonly<Record<string, string | boolean>>;

/** The values of the fields by name; of a box, by name and value, whether it is checked. */
function entriesOf(form: HTMLFormElement): Kept {
	return Object.fromEntries(fieldsOf(form).map((field) => [nameOf(field), entryOf(field)]));
}

function restore(form: HTMLFormElement | null, kept: Kept): void {
	if (form === null) return;
	for (const field of fieldsOf(form)) {
		const value = kept[nameOf(field)];
		if (value === undefined || value === entryOf(field)) continue;
		if (typeof value === "boolean") field.click();
		else enter(field, value);
	}
}

const fieldsOf = (form: HTMLFormElement): Entry[] =>
	[...form.elements].filter(
		(field): field is Entry =>
			(field instanceof HTMLInputElement ||
				field instanceof HTMLTextAreaElement ||
				field instanceof HTMLSelectElement) &&
			field.name !== "" &&
			!field.name.includes("password") &&
			!["password", "file"].includes(field.type),
	);

const isBox = (field: Entry): field is HTMLInputElement => ["checkbox", "radio"].includes(field.type);
const nameOf = (field: Entry) => (isBox(field) ? `${field.name}=${field.value}` : field.name);
const entryOf = (field: Entry) => (isBox(field) ? field.checked : field.value);

/**
 * Enters a value as a person does who then leaves the field. React learns of it by the events, because its
 * own setter is avoided.
 */
function enter(field: Entry, value: string): void {
	const prototype = Object.getPrototypeOf(field);
	Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, value);
	for (const kind of ["input", "change", "focusout"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
}

function read(key: string): Kept {
	return withStorage((tab) => JSON.parse(tab.getItem(key) ?? "{}") as Kept) ?? {};
}

function write(key: string, kept: Kept): void {
	withStorage((tab) => tab.setItem(key, JSON.stringify(kept)));
}

function forget(key: string): void {
	withStorage((tab) => tab.removeItem(key));
}

/** Undefined if the browser refuses storage: nothing is kept then. */
function withStorage<T>(access: (tab: Storage) => T): T | undefined {
	try {
		return access(sessionStorage);
	} catch {
		return undefined;
	}
}
