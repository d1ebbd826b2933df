export type ReturnToBases = {
	/** The address these pages are served from, for example "http://localhost:3000". */
	pagesUrl: string;
	/** The sign-on base, for example "http://localhost:4000"; it may have a path. */
	authUrl: string;
};

const lengthMax = 8192;
/** What parsers read differently from people: backslashes, spaces and control characters. */
const disguise = /[\\\s\p{Cc}\p{Cf}]/u;
/** Encoded separators and `..;`, which some servers unfold after a check. */
const hiddenStep = /%2f|%5c|\/\.{1,2};/i;

/**
 * The address to go to after a sign-in, or undefined when `returnTo` is not to be trusted (§5.2). Trusted are a
 * path on these pages and an absolute address under the sign-on base. The answer is always the parsed
 * address, so that what was checked is what is opened.
 */
export function acceptReturnTo(returnTo: string, { pagesUrl, authUrl }: ReturnToBases): string | undefined {
	if (returnTo.length > lengthMax || disguise.test(returnTo)) return undefined;
	const isPath = returnTo.startsWith("/");
	if (!isPath && !/^https?:\/\/[^/]/i.test(returnTo)) return undefined;

	const base = new URL(isPath ? pagesUrl : authUrl);
	const url = URL.parse(returnTo, isPath ? base : undefined);
	if (url === null || url.origin !== base.origin) return undefined;
	if (url.username !== "" || url.password !== "" || hiddenStep.test(url.pathname)) return undefined;
	return isPath || isUnder(url.pathname, base.pathname) ? url.href : undefined;
}

/** /sso holds /sso and /sso/x, but not /ssox. */
function isUnder(path: string, basePath: string): boolean {
	const folder = basePath.replace(/\/+$/, "");
	return path === folder || path.startsWith(`${folder}/`);
}
