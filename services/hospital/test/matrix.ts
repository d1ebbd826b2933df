import type { CallOptions, Ward } from "./ward.ts";

/** A kind of caller: with which credential, and at whose address. */
export type Caller = { name: string; tenant: string; token?: string; headers?: Record<string, string> };

/** A route to call, with a body that is right where one is needed. */
export type MatrixRoute = { method: NonNullable<CallOptions["method"]>; url: string; body?: unknown };

type Matrix = { callers: readonly Caller[]; routes: readonly MatrixRoute[] };

const width = 10;

/** Calls every route as every caller and prints the statuses really answered, one line a route. */
export async function callMatrix(ward: Ward, { callers, routes }: Matrix): Promise<string> {
	const sorted = routes.toSorted((left, right) =>
		`${left.url} ${left.method}`.localeCompare(`${right.url} ${right.method}`),
	);
	const urlWidth = Math.max(...sorted.map(({ url }) => url.length)) + 2;
	const head = `${"".padEnd(7 + urlWidth)}${callers.map(({ name }) => name.padEnd(width)).join(" ")}`;
	const lines: string[] = [];
	for (const { method, url, body } of sorted) {
		const cells: string[] = [];
		for (const { tenant, token, headers = {} } of callers) {
			const address = url.replace(":tenant", tenant);
			const { status } = await ward.call({
				method,
				url: address,
				token,
				headers,
				...(body !== undefined && { body }),
			});
			cells.push(String(status).padEnd(width));
		}
		lines.push(`${method.padEnd(7)}${url.padEnd(urlWidth)}${cells.join(" ")}`);
	}
	return `${[head, ...lines].map((line) => line.trimEnd()).join("\n")}\n`;
}
