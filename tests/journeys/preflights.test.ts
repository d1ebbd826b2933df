import { buildService } from "@lango/chassis";
import {
	developmentOrigins,
	exposedHeaders,
	listExposedHeaders,
	listRefusedPreflights,
	openStand,
	routesOfDocument,
	type Stand,
} from "@lango/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parts } from "../../tools/up.ts";
import { standSettings } from "./stand-settings.ts";

/** The specification's list for a backend (payments text §4.5), and what every one reads besides. */
const everywhere = [
	"Accept",
	"Authorization",
	"Content-Type",
	"X-Tenant-Slug",
	"X-Tenant-ID",
	"X-Outlet-ID",
	"X-Request-ID",
	"traceparent",
	"tracestate",
];
/** What a service reads besides those. */
const headersOf: Readonly<Record<string, readonly string[]>> = {
	hospital: [],
	inventory: [],
	logistics: [],
	marketflow: [],
	notifications: ["Idempotency-Key", "If-Match", "Last-Event-Id"],
	ordering: ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Idempotency-Key"],
	pos: ["X-Terminal-Token"],
	projects: [],
	treasury: ["Idempotency-Key"],
};
/** These two have headers of their own, and tests of them. */
const others = ["auth", "subscriptions"];
const domainServices = parts.services
	.map(({ service }) => service)
	.filter(({ name }) => !others.includes(name));

test("every domain service that comes up has its headers named here", () => {
	expect(domainServices.map(({ name }) => name).toSorted()).toEqual(Object.keys(headersOf));
});

describe.each(domainServices)("a browser before it calls $name", (service) => {
	let stand: Stand;
	beforeAll(async () => {
		const environment = standSettings(service.name);
		stand = await openStand({ service, build: buildService, environment });
	});
	afterAll(() => stand.close());

	const send: Parameters<typeof listRefusedPreflights>[0]["send"] = (request) =>
		stand.built.app.inject({ ...request, method: request.method as "GET" });
	const routes = () => routesOfDocument(stand.built.app.swagger(), "/");
	const headers = [...everywhere, ...(headersOf[service.name] ?? [])];

	test.each([...developmentOrigins])(
		"is admitted at %s to every route, with every header",
		async (origin) => {
			expect(await listRefusedPreflights({ send, routes: routes(), origin, headers })).toEqual([]);
			expect(await listExposedHeaders({ send, origin }, "/healthz")).toEqual(exposedHeaders);
		},
	);

	test("is allowed these headers and no others, and may read the headers of the rate limit", async () => {
		const origin = "http://localhost:3001";
		const asked = { origin, "access-control-request-method": "GET" };
		const { statusCode, headers: allowed } = await send({
			method: "OPTIONS",
			url: "/healthz",
			headers: asked,
		});
		const admitted = String(allowed["access-control-allow-headers"]).split(", ");
		expect([statusCode, admitted.toSorted()]).toEqual([204, headers.toSorted()]);
		const me =
			routes()
				.find(({ url }) => url.endsWith("/auth/me"))
				?.url.replace(":tenant", "uhai") ?? "";
		const authorization = `Bearer ${stand.token(stand.tenants.uhai, "admin")}`;
		const answer = await send({ method: "GET", url: me, headers: { origin, authorization } });
		expect([answer.statusCode, Object.keys(answer.headers)]).toEqual([
			200,
			expect.arrayContaining(["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"]),
		]);
	});

	test("is refused from an unregistered origin and with another header", async () => {
		const [all, stranger] = [routes(), "http://localhost:3999"];
		const strange = await listRefusedPreflights({ send, routes: all, origin: stranger, headers });
		expect(strange).toHaveLength(all.length);
		const origin = "http://localhost:3001";
		const header = await listRefusedPreflights({ send, routes: all, origin, headers: ["X-Strange"] });
		expect(header).toHaveLength(all.length);
		expect(header.every((line) => line.endsWith(": X-Strange"))).toBe(true);
	});
});
