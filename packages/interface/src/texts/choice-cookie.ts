/**
 * Choices that follow a person from page to page, such as language and theme: cookies, because the sign-in
 * pages and the console have different origins. Their names and values need no encoding.
 */
const cookies = { locale: "lango-language", theme: "lango-theme" } as const;
const secondsKept = 365 * 86_400;
let sharedDomain: string | undefined;

/** Shares later choices with the pages beside another address of this installation. */
export function shareChoices(other: string): void {
	sharedDomain = commonDomain(location.hostname, new URL(other).hostname);
}

/** A choice by its name in the account. */
type Member = keyof typeof cookies;
/** Stores a choice with the account of a signed-in person; false if it could not be stored. */
type AccountKeeper = {
	userId: string;
	keep: (change: { [member in Member]?: string }) => Promise<boolean>;
};
let account: AccountKeeper | undefined;
/** The last choice that is being stored: choices are stored in their order. */
let storing: Promise<void> = Promise.resolve();

/** A choice that is not stored with the account of this person yet: the cookie names the person. */
const unsaved = (value: string, userId: string) => `${value}.${userId}`;
/** The unsaved choices that this page has tried to store. */
const tried = new Set<string>();

/**
 * Stores later choices with the account of the signed-in person, too; undefined: no one is signed in. Tries
 * once to store those that earlier pages could not store with the account.
 */
export function keepChoicesWith(keeper: AccountKeeper | undefined): void {
	account = keeper;
	if (keeper === undefined) return;
	for (const member of ["locale", "theme"] as const) {
		const value = readChoice(member);
		if (value !== null && isUnsaved(member, keeper.userId)) storeChoice({ member, value }, keeper);
	}
}

/** Returns a choice; null without one. */
export function readChoice(member: Member): string | null {
	return readCookie(cookies[member])?.split(".", 1)[0] ?? null;
}

/** Whether a choice of a person waits to be stored with their account. */
function isUnsaved(member: Member, userId: string): boolean {
	return readCookie(cookies[member]) === unsaved(readChoice(member) ?? "", userId);
}

type Choice = { member: Member; value: string };

/**
 * Keeps a choice in this browser, and with the account of the signed-in person. Without cookies it applies
 * until the page is loaded again.
 */
export function keepChoice({ member, value }: Choice): void {
	if (account === undefined) {
		writeCookie(cookies[member], value);
		return;
	}
	const waiting = unsaved(value, account.userId);
	writeCookie(cookies[member], waiting);
	tried.delete(waiting);
	storeChoice({ member, value }, account);
}

/** Stores an unsaved choice with the account, once: its cookie no longer names the person then. */
function storeChoice({ member, value }: Choice, { userId, keep }: AccountKeeper): void {
	const waiting = unsaved(value, userId);
	if (tried.has(waiting)) return;
	tried.add(waiting);
	const name = cookies[member];
	const store = async () => {
		if ((await keep({ [member]: value })) && readCookie(name) === waiting) writeCookie(name, value);
	};
	// A choice that fails does not stop a later one.
	storing = storing.then(store).catch((cause: unknown) => reportError(cause));
}

/**
 * Takes a choice of the signed-in person's account into this browser. Returns false if a newer one of this
 * person could not be stored with the account: it stays.
 */
export function takeChoice({ member, value }: Choice): boolean {
	if (account !== undefined && isUnsaved(member, account.userId)) return false;
	if (readCookie(cookies[member]) !== value) writeCookie(cookies[member], value);
	return true;
}

function readCookie(name: string): string | null {
	const pairs = globalThis.document?.cookie.split("; ") ?? [];
	return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

function writeCookie(name: string, value: string): void {
	const rest = `path=/; max-age=${secondsKept}; samesite=lax${location.protocol === "https:" ? "; secure" : ""}`;
	// A browser refuses a domain that is not an organisation's, such as "co.ke".
	if (sharedDomain !== undefined) document.cookie = `${name}=${value}; domain=${sharedDomain}; ${rest}`;
	if (readCookie(name) !== value) document.cookie = `${name}=${value}; ${rest}`;
}

/** The domain of two hosts, for example "lango.example"; undefined if they share none, or are the same. */
export function commonDomain(host: string, other: string): string | undefined {
	if (host === other || /^[\d.]+$|:/.test(host)) return undefined;
	const others = other.split(".").reverse();
	const labels = host.split(".").reverse();
	const differs = labels.findIndex((label, index) => label !== others[index]);
	const common = differs === -1 ? labels : labels.slice(0, differs);
	return common.length < 2 ? undefined : common.reverse().join(".");
}
