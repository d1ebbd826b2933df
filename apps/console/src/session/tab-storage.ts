/** Calls `access` with the storage of the tab; undefined if the browser refuses storage. */
export function withTabStorage<T>(access: (tab: Storage) => T): T | undefined {
	try {
		return access(sessionStorage);
	} catch {
		return undefined;
	}
}
