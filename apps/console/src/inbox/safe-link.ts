/** The link of an item if it opens a page of the web; undefined for any other scheme. */
export function safeLink(link: string | null): string | undefined {
	const url = link === null ? null : URL.parse(link);
	return url?.protocol === "https:" || url?.protocol === "http:" ? url.href : undefined;
}
