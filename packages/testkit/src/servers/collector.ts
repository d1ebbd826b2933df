import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as received by a collector (OTLP in JSON), with its service and its attributes by name. */
export type CollectedSpan = {
	service: string;
	name: string;
	/** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
	kind: number;
	traceId: string;
	spanId: string;
	parentSpanId: string | undefined;
	links: ReadonlyArray<{ traceId: string; spanId: string }>;
	/** 2 means error. */
	status: number;
	attributes: Readonly<Record<string, unknown>>;
};

/** A test double of an OpenTelemetry collector. */
export type TestCollector = {
	url: string;
	spans: CollectedSpan[];
	/** The number of received requests, answered or not, and the headers of the last one. */
	asked: number;
	headers: Readonly<Record<string, unknown>>;
	close(): Promise<void>;
};

/** Starts a collector on a free port. With `hangs` it accepts requests and never responds. */
export async function startTestCollector({ hangs = false } = {}): Promise<TestCollector> {
	const spans: CollectedSpan[] = [];
	const server = createServer(async (request, response) => {
		collector.asked += 1;
		collector.headers = request.headers;
		if (hangs) return;
		const parts: Buffer[] = [];
		for await (const part of request) parts.push(part as Buffer);
		if (request.url === "/v1/traces") spans.push(...readSpans(Buffer.concat(parts).toString("utf8")));
		response.writeHead(request.url === "/v1/traces" ? 200 : 404, { "content-type": "application/json" });
		response.end("{}");
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const collector: TestCollector = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		spans,
		asked: 0,
		headers: {},
		close: () =>
			new Promise((resolve) => {
				server.closeAllConnections();
				server.close(() => resolve());
			}),
	};
	return collector;
}

type Pair = { key: string; value: Record<string, unknown> };
type Sent = {
	resourceSpans: Array<{
		resource: { attributes: Pair[] };
		scopeSpans: Array<{
			spans: Array<
				Omit<CollectedSpan, "service" | "attributes" | "links" | "status"> & {
					attributes?: Pair[];
					links?: CollectedSpan["links"];
					status?: { code?: number };
				}
			>;
		}>;
	}>;
};

const readPairs = (pairs: readonly Pair[] = []) =>
	Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));

function readSpans(text: string): CollectedSpan[] {
	const { resourceSpans } = JSON.parse(text) as Sent;
	return resourceSpans.flatMap(({ resource, scopeSpans }) => {
		const service = String(readPairs(resource.attributes)["service.name"]);
		return scopeSpans.flatMap(({ spans }) =>
			spans.map(({ name, kind, traceId, spanId, parentSpanId, links, status, attributes }) => ({
				...{ service, name, kind, traceId, spanId, parentSpanId: parentSpanId || undefined },
				links: (links ?? []).map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
				status: status?.code ?? 0,
				attributes: readPairs(attributes),
			})),
		);
	});
}
