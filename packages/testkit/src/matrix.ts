/** A route as a service's own document names it: the method, and the address with `:name` for what varies. */
export type MatrixRoute = {
	method: string;
	url: string;
	/** Why no subscription is asked for, where the route declares that. */
	exempt?: string;
	/** Why it is not bound to the caller's outlets, where the route declares that. */
	tenantWide?: string;
};

export type Matrix<Caller extends { name: string }> = {
	callers: readonly Caller[];
	routes: readonly MatrixRoute[];
	/** Really calls a route as somebody; resolves with the status answered. */
	call: (route: MatrixRoute, caller: Caller) => Promise<number>;
};

const width = 10;

/** Calls every route as every caller, one after the other, and prints the statuses answered: one line a route, ordered by address. */
export async function callMatrix<Caller extends { name: string }>({
	callers,
	routes,
	call,
}: Matrix<Caller>): Promise<string> {
	const sorted = routes.toSorted((left, right) =>
		`${left.url} ${left.method}`.localeCompare(`${right.url} ${right.method}`),
	);
	const urlWidth = Math.max(...sorted.map(({ url }) => url.length)) + 2;
	const head = `${"".padEnd(7 + urlWidth)}${callers.map(({ name }) => name.padEnd(width)).join(" ")}`;
	const lines: string[] = [];
	for (const route of sorted) {
		const cells: string[] = [];
		for (const caller of callers) cells.push(String(await call(route, caller)).padEnd(width));
		lines.push(`${route.method.padEnd(7)}${route.url.padEnd(urlWidth)}${cells.join(" ")}`);
	}
	return `${[head, ...lines].map((line) => line.trimEnd()).join("\n")}\n`;
}

/** The routes of a service under an address, as its OpenAPI document (`app.swagger()`) lists them. */
export function routesOfDocument(document: object, under: string): MatrixRoute[] {
	type Operation = { "x-subscription-exempt"?: string; "x-tenant-wide"?: string };
	const { paths } = document as { paths: Record<string, Record<string, Operation>> };
	return Object.entries(paths)
		.filter(([path]) => path.startsWith(under))
		.flatMap(([path, methods]) =>
			Object.entries(methods).map(
				([method, { "x-subscription-exempt": exempt, "x-tenant-wide": tenantWide }]) => ({
					method: method.toUpperCase(),
					url: path.replaceAll(/\{(\w+)\}/g, ":$1"),
					...(exempt !== undefined && { exempt }),
					...(tenantWide !== undefined && { tenantWide }),
				}),
			),
		);
}
