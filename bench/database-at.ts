/** The URL of another database of the same server. */
export function databaseAt(url: string, name: string): string {
	const at = new URL(url);
	at.pathname = `/${name}`;
	return at.toString();
}
