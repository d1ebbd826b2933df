import { ownerToken, type PolicyOptions, routesOf, sampleFor, samplesOf, sceneOf, send } from "./policy.ts";
import type { Stand } from "./stand.ts";

type Operation = { parameters?: ReadonlyArray<{ name: string }> };

/**
 * Reads every list that offers its total as the platform owner. Returns how many were read, and those whose
 * total is not the number of their items.
 */
export async function walkTotals(
	stand: Stand,
	options: PolicyOptions,
): Promise<{ called: number; wrong: string[] }> {
	const { uhai, lango } = stand.tenants;
	const { paths } = stand.built.app.swagger() as { paths: Record<string, { get?: Operation }> };
	const samples = samplesOf(stand, options);
	const counted = routesOf(stand).filter(({ method, url }) => {
		const { parameters = [] } = paths[url.replaceAll(/:(\w+)/g, "{$1}")]?.get ?? {};
		return method === "GET" && parameters.some(({ name }) => name === "total");
	});
	const wrong: string[] = [];
	for (const route of counted) {
		const sample = await sampleFor(route, samples, sceneOf(stand, uhai));
		const query = `${sample.query ?? "?"}&limit=100&total=true`;
		const read = ({ slug }: { slug: string }, more = "") => {
			const asked = { ...sample, query: `${query}${more}` };
			return send(stand, route, { token: ownerToken(stand), address: slug, sample: asked });
		};
		const own = await read(uhai);
		// Some lists are the platform's alone.
		const { status, body } = own.status === 403 ? await read(lango, `&tenantId=${lango.id}`) : own;
		const { items = [], next_cursor: next, total } = body as List;
		const isRight = next === null ? total === items.length : Number(total) > items.length;
		if (status !== 200 || !isRight) wrong.push(`${route.url}: ${status}, ${total} of ${items.length}`);
	}
	return { called: counted.length, wrong };
}

type List = { items?: unknown[]; next_cursor?: string | null; total?: number };
