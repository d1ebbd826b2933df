import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { Subscription } from "@lango/contracts";

/** A subscription service on a real port, which can be slow, broken or unreachable. */
export type StandIn = {
	url: string;
	/** The subscriptions by tenant. A missing tenant has none. */
	records: Map<string, Subscription>;
	/** Every received request. */
	asked: Array<{ path: string; headers: IncomingHttpHeaders }>;
	/** Overrides the regular response. */
	answer:
		| ((path: string) => { status: number; body: string; headers?: Record<string, string> } | "never")
		| undefined;
	/** Responses wait for this promise. */
	gate: Promise<void> | undefined;
	close(): Promise<void>;
};

export async function startStandIn(): Promise<StandIn> {
	const server = createServer(async (request, response) => {
		const path = request.url ?? "";
		standIn.asked.push({ path, headers: request.headers });
		const found = standIn.answer?.(path) ?? properly(path, standIn.records, request.headers["if-none-match"]);
		if (found === "never") return;
		await standIn.gate;
		response.writeHead(found.status, { "content-type": "application/json", ...found.headers });
		response.end(found.body);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const standIn: StandIn = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		records: new Map(),
		asked: [],
		answer: undefined,
		gate: undefined,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
	return standIn;
}

function properly(path: string, records: ReadonlyMap<string, Subscription>, ifNoneMatch: string | undefined) {
	const record = records.get(/^\/api\/v1\/tenants\/([0-9a-f-]+)\/subscription$/.exec(path)?.[1] ?? "");
	if (record === undefined)
		return { status: 404, body: JSON.stringify({ error: "none", code: "no_subscription", request_id: "r" }) };
	const etag = `"${record.version}-${record.access}"`;
	if (ifNoneMatch === etag) return { status: 304, body: "", headers: { etag } };
	return { status: 200, body: JSON.stringify(record), headers: { etag } };
}
