/**
 * Choices that follow a person from page to page, such as language and theme: cookies, because the sign-in
 * pages and the console have different origins. Their names and values need no encoding.
 */
const secondsKept = 365 * 86_400;
let sharedDomain: string | undefined;

/** Shares later choices with the pages beside another address of this installation. */
export function shareChoices(other: string): void {
	sharedDomain = commonDomain(location.hostname, new URL(other).hostname);
}

/** Returns a choice; null without one. */
export function readChoice(name: string): string | null {
	const pairs = globalThis.document?.cookie.split("; ") ?? [];
	return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

/** Keeps a choice. Without cookies it applies until the page is loaded again. */
export function keepChoice(name: string, value: string): void {
	const rest = `path=/; max-age=${secondsKept}; samesite=lax${location.protocol === "https:" ? "; secure" : ""}`;
	// A browser refuses a domain that is not an organisation's, such as "co.ke".
	if (sharedDomain !== undefined) document.cookie = `${name}=${value}; domain=${sharedDomain}; ${rest}`;
	if (readChoice(name) !== value) document.cookie = `${name}=${value}; ${rest}`;
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
