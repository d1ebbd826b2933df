import type { MatrixRoute } from "./matrix.ts";

type Asked = { method: "OPTIONS" | "GET"; url: string; headers: Record<string, string> };
type Answered = { statusCode: number; headers: Record<string, unknown> };

export type Preflights = {
	/** Sends a request, for example `app.inject`. */
	send: (request: Asked) => Promise<Answered>;
	routes: readonly MatrixRoute[];
	origin: string;
	/** The headers that a page at the origin sends. */
	headers: readonly string[];
};

/**
 * Sends the CORS preflight of a browser for every route, with these headers and credentials, and checks the
 * response as a browser does (Fetch standard, CORS-preflight fetch). Returns a line for each that a browser
 * would refuse.
 */
export async function listRefusedPreflights({
	send,
	routes,
	origin,
	headers,
}: Preflights): Promise<string[]> {
	const refused: string[] = [];
	for (const { method, url } of routes) {
		const names = headers.map((name) => name.toLowerCase()).sort();
		const answer = await send({
			method: "OPTIONS",
			url: url.replaceAll(/:\w+/g, "x"),
			headers: {
				origin,
				"access-control-request-method": method,
				"access-control-request-headers": names.join(","),
			},
		});
		const lacks = lacksOf(answer, { method, origin, headers });
		if (lacks.length > 0) refused.push(`${method} ${url} from ${origin}: ${lacks.join(", ")}`);
	}
	return refused;
}

function lacksOf(
	{ statusCode, headers: answer }: Answered,
	{ method, origin, headers }: Pick<Preflights, "origin" | "headers"> & { method: string },
): string[] {
	const admitted = wordsOf(answer["access-control-allow-headers"]);
	const wanted: ReadonlyArray<readonly [string, boolean]> = [
		[`status ${statusCode}`, statusCode >= 200 && statusCode < 300],
		["origin", answer["access-control-allow-origin"] === origin],
		["credentials", answer["access-control-allow-credentials"] === "true"],
		["max age", answer["access-control-max-age"] === "300"],
		["method", wordsOf(answer["access-control-allow-methods"]).includes(method.toLowerCase())],
		...headers.map((name) => [name, admitted.includes(name.toLowerCase())] as const),
	];
	return wanted.filter(([, isMet]) => !isMet).map(([what]) => what);
}

/** Returns the response headers that a page at the origin can read, in lower case. */
export async function listExposedHeaders(
	{ send, origin }: Pick<Preflights, "send" | "origin">,
	url: string,
): Promise<string[]> {
	const { headers } = await send({ method: "GET", url, headers: { origin } });
	return wordsOf(headers["access-control-expose-headers"]).sort();
}

/** The response headers that every service exposes to pages, in lower case. */
export const exposedHeaders: readonly string[] = [
	"etag",
	"idempotency-replayed",
	...["limit", "remaining", "reset"].map((name) => `ratelimit-${name}`),
	"retry-after",
	"www-authenticate",
	...["limit", "remaining", "reset"].map((name) => `x-ratelimit-${name}`),
	"x-request-id",
];

/** The origins that are allowed while HTTP_ALLOWED_ORIGINS is not set (payments text §4.5). */
export const developmentOrigins: readonly string[] = [
	"http://localhost:3000",
	"http://localhost:3001",
	"http://localhost:3002",
	"http://127.0.0.1:3000",
	"http://127.0.0.1:3001",
	...[3010, 3011, 3012, 3013, 3014, 3015, 3016, 3017, 3018].map((port) => `http://localhost:${port}`),
];

const wordsOf = (value: unknown) =>
	String(value ?? "")
		.split(",")
		.map((word) => word.trim().toLowerCase());
