export type ReturnToBases = {
	/** The origin of these pages, for example "http://localhost:3000". */
	pagesUrl: string;
	/** The base address of the sign-on service, for example "http://localhost:4000". May have a path. */
	authUrl: string;
};

const lengthMax = 8192;
/** Characters that parsers treat differently: backslashes, spaces and control characters. */
const ambiguous = /[\\\s\p{Cc}\p{Cf}]/u;
/** Encoded separators and `..;`, which some servers decode after a check. */
const encodedStep = /%2f|%5c|\/\.{1,2};/i;

/**
 * The address to open after a sign-in, or undefined if `returnTo` is not trusted (§5.2). Trusted are a path
 * on these pages and an absolute address below the base of the sign-on service. Returns the parsed address,
 * so that the checked address is the one that is opened.
 */
export function acceptReturnTo(returnTo: string, { pagesUrl, authUrl }: ReturnToBases): string | undefined {
	if (returnTo.length > lengthMax || ambiguous.test(returnTo)) return undefined;
	const isPath = returnTo.startsWith("/");
	if (!isPath && !/^https?:\/\/[^/]/i.test(returnTo)) return undefined;

	const base = new URL(isPath ? pagesUrl : authUrl);
	const url = URL.parse(returnTo, isPath ? base : undefined);
	if (url === null || url.origin !== base.origin) return undefined;
	if (url.username !== "" || url.password !== "" || encodedStep.test(url.pathname)) return undefined;
	return isPath || isUnder(url.pathname, base.pathname) ? url.href : undefined;
}

/** The same for a parameter of these pages; undefined also if it is missing. */
export const returnAddress = (returnTo: string | undefined, { authUrl }: Pick<ReturnToBases, "authUrl">) =>
	returnTo === undefined || returnTo === ""
		? undefined
		: acceptReturnTo(returnTo, { pagesUrl: location.origin, authUrl });

/** /sso and /sso/x are below /sso; /ssox is not. */
function isUnder(path: string, basePath: string): boolean {
	const folder = basePath.replace(/\/+$/, "");
	return path === folder || path.startsWith(`${folder}/`);
}
