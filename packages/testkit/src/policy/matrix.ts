/** A route from a service's OpenAPI document: the method, and the path with `:name` parameters. */
export type MatrixRoute = {
	method: string;
	url: string;
	/** Why the route needs no subscription, if it declares that. */
	exempt?: string;
	/** Why the route is not limited to the caller's outlets, if it declares that. */
	tenantWide?: string;
};

export type Matrix<Caller extends { name: string }> = {
	callers: readonly Caller[];
	routes: readonly MatrixRoute[];
	/** Calls a route as a caller and resolves with the status. */
	call: (route: MatrixRoute, caller: Caller) => Promise<number>;
};

const width = 10;

/**
 * Calls every route as every caller, and prints the statuses: one line per route, ordered by path. Routes are
 * called one after the other.
 */
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
		const statuses = await callAll(route, callers, (caller) => call(route, caller));
		const cells = statuses.map((status) => String(status).padEnd(width));
		lines.push(`${route.method.padEnd(7)}${route.url.padEnd(urlWidth)}${cells.join(" ")}`);
	}
	return `${[head, ...lines].map((line) => line.trimEnd()).join("\n")}\n`;
}

/** Calls a route as every caller: a route that only reads at once, another one in sequence. */
export async function callAll<Caller, Answer>(
	{ method }: MatrixRoute,
	callers: readonly Caller[],
	call: (caller: Caller) => Promise<Answer>,
): Promise<Answer[]> {
	if (method === "GET") return Promise.all(callers.map(call));
	const answers: Answer[] = [];
	for (const caller of callers) answers.push(await call(caller));
	return answers;
}

/** Returns the routes under a path from a service's OpenAPI document (`app.swagger()`). */
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
