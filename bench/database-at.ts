/** The same address of a server, of another of its databases. */
export function databaseAt(url: string, name: string): string {
	const at = new URL(url);
	at.pathname = `/${name}`;
	return at.toString();
}
