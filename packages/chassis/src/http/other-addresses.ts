/**
 * Another form of a path: requests below `from` are served by the routes below `to`. Both name the tenant by
 * `:tenant`.
 */
export type OtherAddress = { from: string; to: string };

/**
 * Returns the function that moves the path of a request from another form to that of the routes, and leaves
 * every other path unchanged. Routes, metrics and the OpenAPI document so know one address.
 */
export function moveOtherAddresses(addresses: readonly OtherAddress[]): (url: string) => string {
	const moves = addresses.map(({ from, to }) => {
		const form = new RegExp(`^${from.replace(":tenant", "([^/?#]+)")}(?=[/?#]|$)`);
		return { form, to: (tenant: string) => to.replace(":tenant", () => tenant) };
	});
	return (url) => {
		for (const { form, to } of moves) {
			const found = form.exec(url);
			if (found !== null) return to(found[1] ?? "") + url.slice(found[0].length);
		}
		return url;
	};
}
